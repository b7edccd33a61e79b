import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { setAway, useIsAway } from '../api/connection.ts';
import { useSession } from '../api/session.ts';

const probeMilliseconds = 2_000;

/** Shows that the service is unreachable, polls until it is back, and then refreshes everything on the page. */
export function AwayBanner() {
  const isAway = useIsAway();
  const { api_url } = useSession();
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isAway) return;
    const probe = async (): Promise<void> => {
      try {
        // Without a token it responds with 401, which is enough: it is there.
        const responses = await Promise.all([fetch(`${api_url}/v1/limits`), fetch('/console-api/session')]);
        if (responses.some(({ status }) => status >= 500)) return;
        setAway(false);
        await queryClient.invalidateQueries();
      } catch {
        // Still away.
      }
    };
    const timer = setInterval(() => void probe(), probeMilliseconds);
    return () => clearInterval(timer);
  }, [isAway, api_url, queryClient]);
  if (!isAway) return null;
  return (
    <div role="alert" className="sticky top-12 z-20 border-b border-failed/60 bg-failed-soft px-4 py-1.5 text-center">
      Kinora cannot be reached. Running tasks continue, and this page reconnects automatically.
    </div>
  );
}
