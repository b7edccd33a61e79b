import type { Task } from '@kinora/sdk';
import { Copyable } from '../../design/copyable.tsx';
import { Facts } from '../../design/facts.tsx';
import { formatBytes, formatDuration, formatMoney } from '../../design/format.ts';
import { Moment } from '../../design/moment.tsx';

/** Lists the facts of a task: times, files and price. */
export function TaskFacts({ task }: { task: Task }) {
  const { video, usage } = task;
  return (
    <Facts
      facts={[
        ['Task', <Copyable key="id" text={task.id} label="task id" />],
        ['Created', <Moment key="created" at={task.created_at} />],
        task.completed_at === null ? null : ['Ended', <Moment key="ended" at={task.completed_at} />],
        task.expires_at === null ? null : ['Files kept until', <Moment key="expires" at={task.expires_at} />],
        video && ['Video', `${video.width}×${video.height}, ${video.fps} fps, ${video.frame_count} frames`],
        video && video.rendered.width !== video.width
          ? ['Rendered at', `${video.rendered.width}×${video.rendered.height}, then scaled`]
          : null,
        video && ['Length', formatDuration(video.duration)],
        video && ['File', `${formatBytes(video.size_bytes)}, ${video.has_audio ? 'with sound' : 'no sound'}`],
        usage && ['Engine time', formatDuration(usage.engine_seconds)],
        usage && ['Price', priceOf(task)],
        ['Seed', <Copyable key="seed" text={String(task.seed)} label="seed" />],
      ]}
    />
  );
}

function priceOf({ livemode, usage, status }: Task): string {
  if (!livemode) return 'Free: test mode';
  if (usage?.price) return formatMoney(Number(usage.price.amount), usage.price.currency);
  return status === 'completed' ? 'The model has no price' : 'None: it did not complete';
}
