import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleApi } from '../api/console-api.ts';
import { NotConfirmedError, type WaitingForSignIn } from '../api/fresh-sign-in.ts';
import { type SignedIn, sessionQuery, useSession } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';

/** Asks who the person is, before keys, deletions and drains. */
export function ConfirmSignIn({ waiting }: { waiting: WaitingForSignIn }) {
  const session = useSession();
  const queryClient = useQueryClient();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const { method } = session.session;

  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      const body = method === 'development' ? {} : { password };
      queryClient.setQueryData(sessionQuery.queryKey, await consoleApi<SignedIn>('POST', '/confirm', body));
      setPassword('');
      waiting.confirm();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  };
  const here = `${location.pathname}${location.search}`;
  return (
    <Dialog
      isOpen
      onClose={() => waiting.refuse(new NotConfirmedError())}
      title="Confirm your identity"
      lead="Your last sign-in was too long ago. Keys, deletions and drains require a recent one."
    >
      {method === 'openid' ? (
        <a
          className="inline-flex h-8 items-center rounded-box bg-accent px-3 font-medium text-accent-ink"
          href={`/console-api/openid/start?confirm=1&return_to=${encodeURIComponent(here)}`}
        >
          Sign in with {session.sign_in.openid?.name ?? 'your identity provider'}
        </a>
      ) : (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void confirm();
          }}
        >
          {method === 'password' && (
            <TextField
              label={`Password of ${session.person.email}`}
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              value={password}
              onChange={setPassword}
              problem={problem}
            />
          )}
          {method !== 'password' && problem && (
            <p role="alert" className="text-failed">
              {problem}
            </p>
          )}
          <Button look="primary" type="submit" isBusy={isBusy} className="self-end">
            Confirm
          </Button>
        </form>
      )}
    </Dialog>
  );
}
