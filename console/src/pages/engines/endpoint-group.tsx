import { memo } from 'react';
import type { Endpoint } from '../../api/engines.ts';
import { classes } from '../../design/classes.ts';
import { formatDuration, formatLargest } from '../../design/format.ts';
import { failureText } from '../../tasks/failure-advice.ts';
import { describeSlot, slotsOf } from './describe-slot.ts';
import { SlotCell } from './slot-cell.tsx';

interface EndpointGroupProps {
  endpoint: Endpoint;
  now: number;
  isDense: boolean;
  onOpen: (id: string) => void;
}

/** An endpoint with its slots; a click shows all of it. Of a thousand, only those with a visible change are redrawn. */
export const EndpointGroup = memo(function EndpointGroup({ endpoint, now, isDense, onOpen }: EndpointGroupProps) {
  const { id, engine, version, latency_milliseconds, reason, last_failure, last_failure_at } = endpoint;
  const failure =
    last_failure_at !== null &&
    `Failed ${formatDuration(Math.max(0, now - last_failure_at))} ago: ${failureText(last_failure ?? '')}`;
  // Small cells have room for one unit.
  const age = isDense ? formatLargest : formatDuration;
  return (
    <div className={classes('max-w-full', isDense ? 'min-w-20' : 'w-fit max-w-full min-w-54')}>
      <button
        type="button"
        onClick={() => onOpen(id)}
        className="group mb-1 block w-full max-w-full rounded-small text-left"
      >
        <span className={classes('flex items-baseline gap-2', isDense ? 'max-w-20' : 'max-w-54')}>
          <span className="sr-only">Endpoint</span>
          <span
            title={id}
            className={classes(
              'truncate font-mono text-small group-hover:text-accent',
              // The ends of names differ, so long ones lose their beginning.
              isDense && 'text-left [direction:rtl]',
            )}
          >
            <bdi>{id}</bdi>
          </span>
          {!isDense && (
            <span className="ml-auto shrink-0 text-small text-quiet">
              {latency_milliseconds === null ? 'no response' : `${latency_milliseconds} ms`}
            </span>
          )}
        </span>
        {!isDense && (
          <span className="block max-w-54 truncate text-small text-quiet">
            {engine} {version}
          </span>
        )}
      </button>
      <ul aria-label={`Slots of ${id}`} className="flex flex-wrap gap-1">
        {slotsOf(endpoint).map((slot, index) => {
          const { look, word, seconds, isUntil, progress } = describeSlot(endpoint, slot, now);
          return (
            <SlotCell
              key={slot?.index ?? index}
              look={look}
              word={word}
              age={seconds === null ? '' : isUntil && !isDense ? `${formatLargest(seconds)} left` : age(seconds)}
              progress={progress}
              isDense={isDense}
            />
          );
        })}
      </ul>
      {!isDense && (reason ?? failure) && (
        <p title={reason ?? (failure || '')} className="mt-1 line-clamp-2 max-w-54 text-small text-quiet">
          {reason ?? failure}
        </p>
      )}
    </div>
  );
}, looksTheSame);

/** Every probe changes when an endpoint was seen and how fast it was, which small cells do not show. */
function looksTheSame(before: EndpointGroupProps, after: EndpointGroupProps): boolean {
  if (!after.isDense || !before.isDense || before.now !== after.now) return false;
  const [one, other] = [before.endpoint, after.endpoint];
  return (
    one.id === other.id &&
    one.state === other.state &&
    one.since === other.since &&
    one.tripped_until === other.tripped_until &&
    // React Query keeps the array if nothing in it changed.
    one.slots === other.slots
  );
}
