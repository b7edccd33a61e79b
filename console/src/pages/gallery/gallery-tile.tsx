import type { Task } from '@kinora/sdk';
import { Link } from '@tanstack/react-router';
import { Ban, CircleAlert, Clock, FileX, LoaderCircle, type LucideIcon } from 'lucide-react';
import { memo } from 'react';
import { useProject } from '../../api/project.tsx';
import { classes } from '../../design/classes.ts';
import { TaskProgress } from '../../design/progress.tsx';
import { TaskStatus } from '../../design/status.tsx';
import { useScrub } from './scrub.tsx';

/** One task of the gallery in its true ratio: the video, or quietly how it stands. Below it the prompt. */
export const GalleryTile = memo(function GalleryTile({
  task,
  index,
  width,
  height,
  onBroken,
}: {
  task: Task;
  index: number;
  width: number;
  height: number;
  /** Called if the picture cannot be loaded, mostly because its link has expired. */
  onBroken: (taskId: string) => void;
}) {
  const { id: project, mode } = useProject();
  const { listeners, overlay } = useScrub(task.video?.spritesheet_url ?? null);
  const thumbnail = task.video?.thumbnail_url;
  return (
    <Link
      to="/p/$project/$mode/tasks/$task"
      params={{ project, mode, task: task.id }}
      data-tile={index}
      title={task.prompt}
      className="group block scroll-mt-32 scroll-mb-24 rounded-small outline-offset-3"
      style={{ width }}
    >
      <div
        {...listeners}
        className={classes(
          'relative overflow-hidden rounded-small',
          thumbnail ? 'bg-raised-more' : 'border border-line bg-raised group-hover:border-line-strong',
        )}
        style={{ height }}
      >
        {thumbnail ? (
          <>
            <img
              src={thumbnail}
              alt=""
              width={Math.round(width)}
              height={Math.round(height)}
              decoding="async"
              onError={() => onBroken(task.id)}
              className="size-full"
            />
            {overlay}
          </>
        ) : (
          <QuietTile task={task} isNarrow={width < narrowPixels} />
        )}
      </div>
      <div className="mt-1 truncate text-small text-quiet group-hover:text-ink">{task.prompt}</div>
    </Link>
  );
});

/** A narrower tile has no room for a word, only for a mark. */
const narrowPixels = 96;
const marks: Record<Task['status'], LucideIcon> = {
  queued: Clock,
  in_progress: LoaderCircle,
  completed: FileX,
  failed: CircleAlert,
  cancelled: Ban,
};

function QuietTile({ task, isNarrow }: { task: Task; isNarrow: boolean }) {
  const Icon = marks[task.status];
  if (isNarrow) {
    return (
      <div className="flex size-full items-center justify-center">
        <Icon
          aria-hidden="true"
          className={classes('size-4', task.status === 'failed' ? 'text-failed' : 'text-quiet')}
        />
        <span className="sr-only">
          {task.status === 'completed' ? 'Files expired' : <TaskStatus status={task.status} />}
        </span>
      </div>
    );
  }
  return (
    <div className="flex size-full flex-col gap-1 p-2 text-small">
      {task.status === 'completed' ? (
        <span className="text-quiet">Files expired</span>
      ) : (
        <TaskStatus status={task.status} />
      )}
      {task.error && <span className="line-clamp-3 text-quiet">{task.error.message}</span>}
      {task.status === 'queued' && task.queue_position !== null && (
        <span className="text-quiet">Position {task.queue_position}</span>
      )}
      {task.status === 'in_progress' && (
        <>
          <span className="text-quiet">{task.stage === 'rendering' ? `${task.progress} %` : task.stage}</span>
          <TaskProgress task={task} className="mt-auto" />
        </>
      )}
    </div>
  );
}
