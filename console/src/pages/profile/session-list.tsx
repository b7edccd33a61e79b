import { useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { endSession, type OwnSession, ownSessionsQuery } from '../../api/own-sessions.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../design/button.tsx';
import { Moment } from '../../design/moment.tsx';
import { Section } from '../../design/page.tsx';
import { Problem, SkeletonRows } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { describeBrowser } from './describe-browser.ts';

const methods: Readonly<Record<string, string>> = {
  password: 'with the password',
  openid: 'with the identity provider',
  development: 'as the developer',
};

/** Lists the sessions of the person, who can end each of them at once. */
export function SessionList() {
  const { data, error, refetch } = useQuery(ownSessionsQuery);
  const end = useChange(
    async (sessions: readonly OwnSession[]) => {
      await Promise.all(sessions.map(({ id }) => endSession(id)));
    },
    {
      refresh: ownSessionsQuery.queryKey,
      onDone: (_, { length }) => toast(length === 1 ? 'The session has ended.' : `${length} sessions have ended.`),
    },
  );
  const others = data?.filter(({ is_current }) => !is_current) ?? [];
  return (
    <Section
      title="Sessions"
      actions={
        others.length > 0 && (
          <Button look="quiet" isBusy={end.isPending} onClick={() => end.mutate(others)}>
            End all others
          </Button>
        )
      }
    >
      {end.error && <Problem isInline error={end.error} />}
      {!data && error && <Problem isInline error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={2} />}
      <ul>
        {data?.map((session) => (
          <li key={session.id} className="flex items-center gap-3 border-b py-2.5 last:border-0">
            {/iPhone|Android/.test(session.user_agent ?? '') ? (
              <Smartphone aria-hidden="true" className="size-5 shrink-0 text-quiet" />
            ) : (
              <Monitor aria-hidden="true" className="size-5 shrink-0 text-quiet" />
            )}
            <div className="min-w-0 grow">
              <p title={session.user_agent ?? ''}>
                {describeBrowser(session.user_agent)}
                {session.is_current && <span className="text-accent"> (this browser)</span>}
              </p>
              <p className="text-small text-quiet">
                {session.address ?? 'unknown address'}, {methods[session.method] ?? session.method}, used{' '}
                <Moment at={session.last_used_at} />, ends <Moment at={session.expires_at} />
              </p>
            </div>
            {!session.is_current && (
              <Button
                isBusy={end.isPending}
                aria-label={`End the session of ${describeBrowser(session.user_agent)}`}
                onClick={() => end.mutate([session])}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
