import type { Endpoint, Pool } from '../../api/engines.ts';
import { classes } from '../../design/classes.ts';
import { formatCount, formatDuration } from '../../design/format.ts';
import { EndpointGroup } from './endpoint-group.tsx';

interface PoolRowProps {
  pool: Pool;
  endpoints: readonly Endpoint[];
  now: number;
  isDense: boolean;
  onOpen: (id: string) => void;
}

/** A pool: what waits for it at the left, its endpoints and slots at the right. Browsers skip rows out of sight. */
export function PoolRow({ pool, endpoints, now, isDense, onOpen }: PoolRowProps) {
  const { name, models, waiting, oldest_waiting_at } = pool;
  const isIdle = endpoints.length > 0 && endpoints.every(({ slots }) => slots.every(({ state }) => state === 'idle'));
  return (
    <section
      aria-label={`Pool ${name}`}
      className={classes(
        'grid gap-x-6 gap-y-3 border-t py-3 md:grid-cols-[11rem_1fr]',
        '[contain-intrinsic-size:auto_160px] [content-visibility:auto]',
      )}
    >
      <div className="min-w-0">
        <h3 className="truncate font-semibold">{name}</h3>
        <p className="truncate text-small text-quiet" title={models.join(', ')}>
          {models.length === 0 ? 'Not used by any model' : models.join(', ')}
        </p>
        <p className={classes('mt-1 text-small', waiting === 0 && 'text-quiet')}>
          {waiting === 0 ? 'Nothing waiting' : `${formatCount(waiting)} waiting`}
        </p>
        {oldest_waiting_at !== null && (
          <p className="text-small text-quiet">oldest {formatDuration(Math.max(0, now - oldest_waiting_at))}</p>
        )}
        {waiting > 0 && isIdle && (
          <p className="mt-1 text-small text-failed">Tasks are waiting, but no slot is working.</p>
        )}
      </div>
      <div className={classes('flex flex-wrap gap-y-3', isDense ? 'gap-x-2' : 'gap-x-5')}>
        {endpoints.map((endpoint) => (
          <EndpointGroup
            key={endpoint.id}
            endpoint={endpoint}
            // Ages in small cells are rough anyway, and a step of time draws all of them again.
            now={isDense ? now - (now % 10) : now}
            isDense={isDense}
            onOpen={onOpen}
          />
        ))}
        {endpoints.length === 0 && <p className="text-quiet">No endpoint serves this pool.</p>}
      </div>
    </section>
  );
}
