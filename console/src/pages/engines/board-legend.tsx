import { classes } from '../../design/classes.ts';
import { formatCount } from '../../design/format.ts';
import type { SlotLook } from './describe-slot.ts';
import { slotColours } from './slot-cell.tsx';

const entries: readonly [SlotLook, string, string][] = [
  ['busy', 'Busy', 'Runs a job.'],
  ['idle', 'Idle', 'Ready for the next job.'],
  ['draining', 'Draining', 'Finishes its jobs, or was drained by an operator.'],
  ['broken', 'Broken', 'Tripped after failed jobs, or unreachable.'],
  ['suspect', 'On probation', 'Gets one job at a time until one succeeds.'],
  ['unwatched', 'Unknown', 'No worker monitors it.'],
];

/** Counts the slots in each state, and is the legend of the board. Rare states appear when they occur. */
export function BoardLegend({ counts, waiting }: { counts: Record<SlotLook, number>; waiting: number }) {
  const shown = entries.filter(([look]) => counts[look] > 0 || !['suspect', 'unwatched'].includes(look));
  return (
    <dl className="mb-5 flex flex-wrap gap-x-8 gap-y-3">
      {shown.map(([look, name, meaning]) => (
        <div key={look} title={meaning}>
          <dt className="flex items-center gap-1.5 text-small text-quiet">
            <span aria-hidden="true" className={classes('size-3 rounded-small border', slotColours[look])} />
            {name}
          </dt>
          <dd className={classes('text-head font-semibold', counts[look] === 0 && 'text-quiet')}>
            {formatCount(counts[look])}
          </dd>
        </div>
      ))}
      <div className="border-l pl-8 max-sm:border-0 max-sm:pl-0">
        <dt className="text-small text-quiet">Tasks waiting</dt>
        <dd className={classes('text-head font-semibold', waiting === 0 && 'text-quiet')}>{formatCount(waiting)}</dd>
      </div>
    </dl>
  );
}
