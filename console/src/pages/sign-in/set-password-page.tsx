import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleApi } from '../../api/console-api.ts';
import type { SignedIn } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/states.tsx';
import { useFinishSignIn } from './finish-sign-in.ts';
import { LinkSpent } from './link-spent.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { useOneTimeToken } from './one-time-token.ts';
import { problemOfNewPassword } from './password-rules.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { explainSignInError } from './sign-in-problems.ts';

/** Where the links of new people, and of those who forgot their password, lead. */
export function SetPasswordPage() {
  const token = useOneTimeToken();
  const finish = useFinishSignIn();
  const [password, setPassword] = useState('');
  const save = useMutation({
    mutationFn: () => consoleApi<SignedIn>('POST', '/password-reset', { token, password }),
    onSuccess: (session) => finish(session),
  });
  if (token === null) return <LinkSpent />;
  return (
    <SignInFrame
      title="Choose a password"
      lead="You are signed in with it at once. If you had sessions elsewhere, they end."
      isBusy={save.isPending}
    >
      {save.error && <Notice tone="failed">{explainSignInError(save.error)}</Notice>}
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (problemOfNewPassword(password) === null) save.mutate();
        }}
      >
        <NewPasswordField label="New password" value={password} onChange={setPassword} />
        <Button type="submit" look="primary" isBusy={save.isPending}>
          Save and sign in
        </Button>
      </form>
    </SignInFrame>
  );
}
