import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isAwayError } from '../api/connection.ts';
import { Problem } from '../design/states.tsx';

const retryMilliseconds = 2_000;

/** The error page. If the server was unreachable, the real page appears when it is back. */
export function RootProblem({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isAway = isAwayError(error);
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => void router.invalidate(), retryMilliseconds);
    return () => clearInterval(timer);
  }, [isAway, router]);
  return <Problem error={error} onRetry={isAway ? () => void router.invalidate() : reset} />;
}
