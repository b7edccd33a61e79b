import { GoneError, NotFoundError, type Task } from '@kinora/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useProject } from '../../api/project.tsx';
import { useTask } from '../../api/use-task.ts';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Problem, Skeleton } from '../../design/states.tsx';
import { Label, TaskStatus } from '../../design/status.tsx';
import { knownImageOfTask } from '../../tasks/known-images.ts';
import { TaskCanvas } from '../../tasks/task-canvas.tsx';
import { FailureBox } from './failure-box.tsx';
import { ImageSection } from './image-section.tsx';
import { RequestSection } from './request-section.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskFacts } from './task-facts.tsx';
import { TaskTimeline } from './task-timeline.tsx';
import { WebhookSection } from './webhook-section.tsx';

/** The page of a task: its video or failure, its timeline, its request and its webhooks. */
export function TaskPage() {
  const { task: id } = useParams({ from: '/app-shell/p/$project/$mode/tasks/$task' });
  const { id: project, mode } = useProject();
  const { data: task, error, refetch } = useTask(id);
  if (task) return <Shown task={task} />;
  if (error instanceof GoneError || error instanceof NotFoundError) {
    return (
      <Empty
        title={error instanceof GoneError ? 'This task was deleted' : 'Task not found'}
        action={
          <Link
            to="/p/$project/$mode/gallery"
            params={{ project, mode }}
            className="rounded-small px-1 font-medium text-accent underline"
          >
            Go to the gallery
          </Link>
        }
      >
        {error instanceof GoneError
          ? 'Its prompt, image and video were deleted with it.'
          : `This project has no task ${id} in ${mode} mode. Check the id, or switch to the other mode.`}
      </Empty>
    );
  }
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  return <TaskSkeleton />;
}

function Shown({ task }: { task: Task }) {
  const { may } = useProject();
  const prompt = [...task.prompt];
  const title = prompt.length > 90 ? `${prompt.slice(0, 90).join('').trimEnd()}…` : task.prompt;
  return (
    <Page
      title={title}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <TaskStatus status={task.status} />
          <span>{task.model}</span>
          {!task.livemode && <Label tone="test">Test mode</Label>}
        </span>
      }
      actions={<TaskActions task={task} />}
    >
      <div className="mb-8 grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_340px]">
        <div className="min-w-0">
          {task.status === 'failed' ? (
            <FailureBox task={task} />
          ) : (
            <TaskCanvas
              task={task}
              image={knownImageOfTask(task.image?.sha256)?.preview ?? null}
              isMain
              heightShare={task.status === 'cancelled' ? 30 : 62}
            />
          )}
        </div>
        <TaskFacts task={task} />
      </div>
      <Section title="Where the time went">
        <TaskTimeline task={task} />
      </Section>
      <div className="grid gap-x-8 lg:grid-cols-2">
        <RequestSection task={task} />
        <div>
          <ImageSection task={task} />
          {may('developer') && <WebhookSection task={task} />}
        </div>
      </div>
    </Page>
  );
}

function TaskSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto flex max-w-[1600px] flex-col gap-6 px-4 py-5 md:px-6">
      <Skeleton className="h-8 w-96 max-w-full" />
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_340px]">
        <Skeleton className="aspect-video max-h-[62dvh]" />
        <Skeleton className="h-60" />
      </div>
      <Skeleton className="h-20" />
    </div>
  );
}
