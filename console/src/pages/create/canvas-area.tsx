import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useProject } from '../../api/project.tsx';
import { useTask } from '../../api/use-task.ts';
import { Button } from '../../design/button.tsx';
import { Copyable } from '../../design/copyable.tsx';
import { formatDuration } from '../../design/format.ts';
import { ratioOf as ratioOfTask } from '../../design/ratio-box.tsx';
import { Problem, Skeleton } from '../../design/states.tsx';
import { TaskStatus } from '../../design/status.tsx';
import { AspectRatioBox } from '../../tasks/aspect-ratio-box.tsx';
import type { KnownImage } from '../../tasks/known-images.ts';
import { fits, TaskCanvas } from '../../tasks/task-canvas.tsx';
import { type AspectRatio, type ImageFit, ratioOf } from './image-fit.ts';

/** Side by side: tall frames in one line, wide ones in two columns. */
function gridOf(count: number, ratio: number): { className: string; heightShare: number } {
  if (count === 1) return { className: '', heightShare: 68 };
  if (ratio < 1) {
    const columns = { 2: '', 3: 'xl:grid-cols-3', 4: 'xl:grid-cols-4' }[count];
    return { className: `grid grid-cols-2 gap-3 ${columns}`, heightShare: 60 };
  }
  return { className: 'grid gap-3 sm:grid-cols-2', heightShare: count > 2 ? 34 : 60 };
}

/** Before the first send: empty frames in the true ratio, with the image as it will be fitted. */
export function Outlines({
  count,
  ratio,
  size,
  image,
  fit,
}: {
  count: number;
  ratio: AspectRatio;
  size: string | null;
  image: KnownImage | null;
  fit: ImageFit;
}) {
  const { className, heightShare } = gridOf(count, ratioOf(ratio));
  return (
    <div className={className}>
      {Array.from({ length: count }, (_, index) => (
        <AspectRatioBox
          key={index}
          ratio={ratioOf(ratio)}
          heightShare={heightShare}
          className={image?.preview ? 'bg-black' : 'border border-dashed border-line-strong'}
        >
          {image?.preview ? (
            <img
              src={image.preview}
              alt={`The first frame: ${image.file.filename ?? 'the image'}, ${fit}`}
              className={`size-full ${fits[fit]}`}
            />
          ) : (
            <div className="absolute inset-0 flex flex-col items-center justify-center gap-1 text-quiet">
              <span className="font-mono text-title">{ratio}</span>
              <span className="font-mono text-small">{size?.replace('x', '×') ?? ' '}</span>
              {index === 0 && count === 1 && <span className="mt-2 text-small">The video appears here.</span>}
            </div>
          )}
        </AspectRatioBox>
      ))}
    </div>
  );
}

/** The tasks that the form made, in place of the outlines. */
export function MadeTasks({
  ids,
  image,
  onKeepSeed,
}: {
  ids: readonly string[];
  image: KnownImage | null;
  onKeepSeed: (seed: number) => void;
}) {
  const first = useTask(ids[0] ?? '').data;
  const { className, heightShare } = gridOf(ids.length, first ? ratioOfTask(first) : 16 / 9);
  return (
    <div className={className}>
      {ids.map((id, index) => (
        <MadeTask
          key={id}
          id={id}
          image={image}
          isMain={index === 0}
          heightShare={heightShare}
          onKeepSeed={onKeepSeed}
        />
      ))}
    </div>
  );
}

function MadeTask({
  id,
  image,
  isMain,
  heightShare,
  onKeepSeed,
}: {
  id: string;
  image: KnownImage | null;
  isMain: boolean;
  heightShare: number;
  onKeepSeed: (seed: number) => void;
}) {
  const { id: project, mode } = useProject();
  const { data: task, error, refetch } = useTask(id);
  if (error && !task) return <Problem error={error} onRetry={() => void refetch()} isInline />;
  if (!task) return <Skeleton className="aspect-video" />;
  const preview = image && image.file.sha256 === task.image?.sha256 ? image.preview : null;
  return (
    <div className="min-w-0">
      <TaskCanvas task={task} image={preview} isMain={isMain} isPlayingAtOnce heightShare={heightShare} />
      <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
        <TaskStatus status={task.status} />
        {task.completed_at !== null && (
          <span className="text-quiet">in {formatDuration(Math.max(1, task.completed_at - task.created_at))}</span>
        )}
        <span className="inline-flex items-center gap-1 text-quiet">
          seed <Copyable text={String(task.seed)} label="seed" />
        </span>
        <span className="grow" />
        {task.status === 'completed' && (
          <Button look="quiet" className="h-6 px-1.5" onClick={() => onKeepSeed(task.seed)}>
            <Lock /> Keep this seed
          </Button>
        )}
        <Link
          to="/p/$project/$mode/tasks/$task"
          params={{ project, mode, task: id }}
          className="rounded-small px-1 font-medium text-accent hover:underline"
        >
          Open task
        </Link>
      </div>
    </div>
  );
}
