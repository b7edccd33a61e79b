import { LinkButton } from '../../design/button.tsx';
import { SignInLayout } from './sign-in-layout.tsx';

/** The page of a one-time link whose token is missing, for example after a reload. */
export function LinkSpent({ command }: { command?: string }) {
  return (
    <SignInLayout title="The link is incomplete" lead="Each link works once.">
      {command ? (
        <>
          <p>Open the whole link that the server printed. To print a new one, run:</p>
          <pre className="overflow-x-auto rounded-box border bg-raised px-3 py-2">{command}</pre>
        </>
      ) : (
        <p>Open the whole link that you were given. If it no longer works, ask an operator for a new one.</p>
      )}
      <LinkButton href="/sign-in">Go to sign-in</LinkButton>
    </SignInLayout>
  );
}
