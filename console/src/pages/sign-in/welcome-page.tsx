import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleApi } from '../../api/console-api.ts';
import type { SignedIn } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Notice } from '../../design/states.tsx';
import { useFinishSignIn } from './finish-sign-in.ts';
import { LinkSpent } from './link-spent.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { useOneTimeToken } from './one-time-token.ts';
import { problemOfNewPassword } from './password-rules.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import { explainSignInError } from './sign-in-problems.ts';

/** The first operator of an installation. */
export function WelcomePage() {
  const token = useOneTimeToken();
  const finish = useFinishSignIn();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const create = useMutation({
    mutationFn: () => consoleApi<SignedIn>('POST', '/first-operator', { token, email, name, password }),
    onSuccess: (session) => finish(session),
  });
  if (token === null) return <LinkSpent command="kinora-server people first-operator" />;
  return (
    <SignInLayout
      title="Welcome"
      lead="You become the first operator of this installation, who manages engines, projects and people."
      isBusy={create.isPending}
    >
      {create.error && <Notice tone="failed">{explainSignInError(create.error)}</Notice>}
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (problemOfNewPassword(password) === null) create.mutate();
        }}
      >
        <TextField
          label="Your name"
          autoComplete="name"
          autoFocus
          required
          maxLength={100}
          value={name}
          onChange={setName}
        />
        <TextField
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          value={email}
          onChange={setEmail}
          hint="For signing in. Kinora sends no e-mail."
        />
        <NewPasswordField value={password} onChange={setPassword} />
        <Button type="submit" look="primary" isBusy={create.isPending}>
          Start
        </Button>
      </form>
    </SignInLayout>
  );
}
