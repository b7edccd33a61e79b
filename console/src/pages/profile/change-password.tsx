import { useState } from 'react';
import { ConsoleApiError, consoleApi } from '../../api/console-api.ts';
import { ownSessionsQuery } from '../../api/own-sessions.ts';
import { useSession } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { Section } from '../../design/page.tsx';
import { PasswordField } from '../../design/password-field.tsx';
import { Notice } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { NewPasswordField } from '../sign-in/new-password-field.tsx';
import { problemOfNewPassword } from '../sign-in/password-rules.ts';
import { explainSignInError } from '../sign-in/sign-in-problems.ts';

function explain(error: Error): string {
  const isWrong = error instanceof ConsoleApiError && error.code === 'sign_in_failed';
  return isWrong ? 'The current password is wrong.' : explainSignInError(error);
}

/** The password of somebody who signs in with one. */
export function ChangePassword() {
  const { session, person, sign_in } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const close = () => {
    setIsOpen(false);
    setPassword('');
    setNewPassword('');
  };
  const change = useChange(() => consoleApi('POST', '/password', { password, new_password: newPassword }), {
    refresh: ownSessionsQuery.queryKey,
    onDone: () => {
      toast('Password changed. Your other sessions have ended.');
      close();
    },
  });
  if (session.method !== 'password') {
    const provider = sign_in.openid?.name ?? 'your identity provider';
    return (
      <Section title="Password">
        <p className="py-1 text-quiet">
          {session.method === 'openid'
            ? `You signed in with ${provider}. Change your password there.`
            : 'The developer account has no password. It exists only in development.'}
        </p>
      </Section>
    );
  }
  return (
    <Section title="Password" actions={!isOpen && <Button onClick={() => setIsOpen(true)}>Change</Button>}>
      {!isOpen && <p className="py-1 text-quiet">You sign in with {person.email} and a password.</p>}
      {isOpen && (
        <form
          className="flex max-w-80 flex-col gap-4 py-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (problemOfNewPassword(newPassword) === null) change.mutate();
          }}
        >
          {change.error && <Notice tone="failed">{explain(change.error)}</Notice>}
          {/* Password managers look for the name that belongs to the password. */}
          <input type="hidden" autoComplete="username" value={person.email} />
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            autoFocus
            required
            value={password}
            onChange={setPassword}
          />
          <NewPasswordField label="New password" value={newPassword} onChange={setNewPassword} />
          <p className="text-small text-quiet">This ends your other sessions.</p>
          <div className="flex gap-2">
            <Button look="primary" type="submit" isBusy={change.isPending}>
              Save
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </form>
      )}
    </Section>
  );
}
