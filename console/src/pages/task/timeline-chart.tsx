import { Ban, Check, X } from 'lucide-react';
import { classes } from '../../design/classes.ts';
import { formatDuration } from '../../design/format.ts';
import type { TimelineBar, TimelineGeometry, TimelineRow } from './timeline-geometry.ts';

const looks: Record<string, string> = {
  waiting: 'border border-dashed border-line-strong',
  preparing: 'bg-accent-soft border border-accent',
  rendering: 'bg-accent text-accent-ink',
  finishing: 'bg-raised-more border border-accent',
};
const words: Record<string, string> = {
  waiting: 'Waiting',
  preparing: 'Preparing',
  rendering: 'Rendering',
  finishing: 'Finishing',
};
const wordOf = (stage: string): string => words[stage] ?? stage;

/** Draws the timeline of a task: a row per attempt and a bar per stage, all on one axis. */
export function TimelineChart({ geometry, isFinal }: { geometry: TimelineGeometry; isFinal: boolean }) {
  const { totalSeconds, rows, ticks, sums } = geometry;
  const [longest] = sums;
  return (
    <div>
      <p className="mb-3 text-quiet">
        <span className="text-ink">{formatDuration(totalSeconds)}</span>
        {isFinal ? ' in all' : ' so far'}
        {longest && sums.length > 1 && (
          <>
            , most of it {wordOf(longest.stage).toLowerCase()}:{' '}
            <span className="text-ink">{formatDuration(longest.seconds)}</span> ({Math.round(longest.percent)} %)
          </>
        )}
        .
      </p>
      <div className="flex flex-col gap-2">
        {rows.map((row) => (
          <Row key={row.attempt} row={row} />
        ))}
      </div>
      <div aria-hidden="true" className="relative mt-1 h-5 border-t font-mono text-small text-quiet md:ml-48">
        {ticks.map(({ seconds, left }, index) => (
          <span
            key={seconds}
            className={classes(
              'absolute top-0 border-l pt-0.5 pl-1 whitespace-nowrap',
              // The last label would leave the page, and a phone has room for every second one.
              left > 94 && 'border-l-0 pl-0 -translate-x-full',
              index % 2 === 1 && 'max-sm:hidden',
            )}
            style={{ left: `${left}%` }}
          >
            {formatDuration(seconds)}
          </span>
        ))}
      </div>
      <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1 text-small">
        {sums.map(({ stage, seconds, percent }) => (
          <div key={stage} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={classes('size-3 rounded-small', looks[stage])} />
            <dt className="text-quiet">{wordOf(stage)}</dt>
            <dd className="font-mono">
              {formatDuration(seconds)} <span className="text-quiet">{Math.round(percent)} %</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Row({ row }: { row: TimelineRow }) {
  const { attempt, endpoint, outcome, takeovers, bars } = row;
  return (
    <div className="md:flex md:items-center">
      <div className="flex flex-wrap gap-x-3 pr-3 text-small max-md:mb-1 md:w-48 md:shrink-0 md:flex-col">
        <span className="flex min-w-0 gap-1.5">
          <span className="shrink-0">Attempt {attempt}</span>
          <span className="truncate font-mono text-quiet" title={endpoint ?? undefined}>
            {endpoint ?? 'in the queue'}
          </span>
        </span>
        {endpoint !== null && <Outcome outcome={outcome} />}
        {takeovers > 0 && (
          <span className="text-quiet">continued by another worker{takeovers > 1 && `, ${takeovers} times`}</span>
        )}
      </div>
      <ol aria-label={`Attempt ${attempt}`} className="relative h-8 min-w-0 grow rounded-small bg-raised">
        {bars.map((bar) => (
          <Bar key={bar.startSeconds + bar.stage} bar={bar} />
        ))}
      </ol>
    </div>
  );
}

/** Shows how an attempt ended. */
function Outcome({ outcome }: { outcome: string | null }) {
  if (outcome === null) return <span className="text-accent">in progress</span>;
  const isCompleted = outcome === 'completed';
  const Icon = isCompleted ? Check : outcome === 'cancelled' ? Ban : X;
  return (
    <span
      className={classes(
        'flex min-w-0 items-center gap-1',
        isCompleted ? 'text-done' : outcome === 'cancelled' ? 'text-quiet' : 'text-failed',
      )}
    >
      <Icon className="size-3.5 shrink-0" />
      <span className={classes('truncate', !isCompleted && 'font-mono')} title={outcome}>
        {outcome}
      </span>
    </span>
  );
}

function Bar({ bar }: { bar: TimelineBar }) {
  const { stage, startSeconds, seconds, left, width, isRunning } = bar;
  const text = `${wordOf(stage)}: ${formatDuration(seconds)}${isRunning ? ' so far' : ''}, from ${formatDuration(startSeconds)}`;
  return (
    <li
      title={text}
      className={classes(
        'absolute inset-y-1 flex min-w-0.5 items-center overflow-hidden rounded-small text-small transition-[left,width] duration-700 ease-linear',
        isRunning && stage === 'rendering' ? 'striped' : looks[stage],
      )}
      style={{ left: `${left}%`, width: `${width}%` }}
    >
      <span className="sr-only">{text}</span>
      {width > 9 && !(isRunning && stage === 'rendering') && (
        <span aria-hidden="true" className="truncate px-2">
          {wordOf(stage)} {formatDuration(seconds)}
        </span>
      )}
    </li>
  );
}
