import type { Task } from '@kinora/sdk';
import { formatDuration, formatExact } from '../../design/format.ts';
import { useTextOfNow } from '../../design/moment.tsx';

/** When a task will probably complete, from now. */
export function ExpectedEnd({ task }: { task: Pick<Task, 'estimated_completion_at' | 'stage'> }) {
  const at = task.estimated_completion_at;
  const text = useTextOfNow((now) => {
    if (at === null) return task.stage === 'finishing' ? 'any moment' : 'unknown';
    const seconds = Math.round(at - now / 1000);
    return seconds < 2 ? 'any moment' : `in ${formatDuration(seconds)}`;
  });
  if (at === null) return <span className="text-quiet">{text}</span>;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExact(at)} className="whitespace-nowrap">
      {text}
    </time>
  );
}
