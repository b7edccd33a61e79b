import type { Task } from '@kinora/sdk';
import { formatDuration, formatExact } from '../../design/format.ts';
import { useNow } from '../../design/moment.tsx';

/** When a task will probably complete, from now. */
export function ExpectedEnd({ task }: { task: Pick<Task, 'estimated_completion_at' | 'stage'> }) {
  const now = useNow();
  const at = task.estimated_completion_at;
  if (at === null && task.stage === 'finishing') return <span>any moment</span>;
  if (at === null) return <span className="text-quiet">unknown</span>;
  const seconds = Math.round(at - now / 1000);
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExact(at)} className="whitespace-nowrap">
      {seconds < 2 ? 'any moment' : `in ${formatDuration(seconds)}`}
    </time>
  );
}
