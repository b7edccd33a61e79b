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
import { SignInLayout } from './sign-in-layout.tsx';
import { explainSignInError } from './sign-in-problems.ts';

/** The page behind the links for new people and for those who forgot their password. */
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
    <SignInLayout
      title="Choose a password"
      lead="Saving it signs you in, and ends your sessions in other browsers."
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
    </SignInLayout>
  );
}
