import { LinkButton } from '../../design/button.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

/** What a one-time link shows when its token is missing, for example after a reload. */
export function LinkSpent({ command }: { command?: string }) {
  return (
    <SignInFrame title="This link is not complete" lead="Links like this work once, and only as a whole.">
      {command ? (
        <>
          <p>Open the whole address that the server printed, or let it print a new one:</p>
          <pre className="overflow-x-auto rounded-box border bg-raised px-3 py-2">{command}</pre>
        </>
      ) : (
        <p>Open the whole address that you were given. If it does not work any more, ask an operator for a new one.</p>
      )}
      <LinkButton href="/sign-in">Go to the sign-in</LinkButton>
    </SignInFrame>
  );
}
