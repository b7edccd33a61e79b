import type { CompletedTask, FailedTask, Task, UnfinishedTask } from '@kinora/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert, X } from 'lucide-react';
import { useState } from 'react';
import { useProject } from '../api/project.tsx';
import { Button } from '../design/button.tsx';
import { formatDuration } from '../design/format.ts';
import { Logo } from '../design/logo.tsx';
import { Moment, useNow } from '../design/moment.tsx';
import { Player } from '../design/player.tsx';
import { TaskProgress } from '../design/progress.tsx';
import { ratioOf } from '../design/ratio-box.tsx';
import { toast } from '../design/toasts.tsx';
import { AspectRatioBox } from './aspect-ratio-box.tsx';
import { adviceFor } from './failure-advice.ts';
import { stageWords } from './stage-words.ts';
import { useVideoSource } from './use-video-source.ts';

interface CanvasProps {
  task: Task;
  /** The image that the video starts from, if it is known. */
  image?: string | null;
  isMain?: boolean;
  isPlayingAtOnce?: boolean;
  heightShare?: number;
}

/** A task in the aspect ratio of its video: its progress, then the video or the failure. */
export function TaskCanvas({ task, image = null, isMain, isPlayingAtOnce, heightShare }: CanvasProps) {
  return (
    <AspectRatioBox
      ratio={ratioOf(task)}
      heightShare={heightShare}
      className={task.status === 'completed' ? 'bg-black' : 'border bg-raised'}
    >
      {task.status === 'completed' ? (
        <Finished task={task} isMain={isMain ?? false} isPlayingAtOnce={isPlayingAtOnce ?? false} />
      ) : (
        <>
          {image && !task.is_final && (
            <img
              src={image}
              alt=""
              className={`absolute inset-0 size-full opacity-30 ${fits[task.image?.fit ?? 'crop']}`}
            />
          )}
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 overflow-auto p-4">
            {task.status === 'failed' && <Failed task={task} />}
            {task.status === 'cancelled' && (
              <p className="text-quiet">
                Cancelled <Moment at={task.completed_at} />
              </p>
            )}
            {!task.is_final && <Unfinished task={task} />}
          </div>
        </>
      )}
    </AspectRatioBox>
  );
}

/** The CSS names of the three ways in which the service fits an image. */
export const fits = { crop: 'object-cover', pad: 'object-contain', stretch: 'object-fill' } as const;

function Unfinished({ task }: { task: UnfinishedTask }) {
  const now = useNow();
  const left = task.estimated_completion_at === null ? null : task.estimated_completion_at - now / 1000;
  const isWaiting = task.stage === 'waiting';
  return (
    <div className="flex w-full max-w-sm flex-col items-center gap-2 text-center">
      <Logo size={36} isSpinning={!isWaiting} />
      <p className="text-read font-medium">
        {/* Only the stage is announced. The figures change every second. */}
        <span role="status">{stageWords(task)}</span>
        {task.stage === 'rendering' && task.progress_source !== 'none' && ` ${Math.round(task.progress)} %`}
      </p>
      {!isWaiting && <TaskProgress task={task} className="w-full" />}
      <p className="text-small text-quiet">
        {task.attempt > 1 && `Attempt ${task.attempt}. `}
        {left !== null && (left > 1 ? `About ${formatDuration(Math.ceil(left))} left` : 'Any moment now')}
      </p>
      <CancelButton task={task} />
    </div>
  );
}

function CancelButton({ task }: { task: UnfinishedTask }) {
  const { kinora, key, may } = useProject();
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  if (!may('developer')) return null;
  const cancel = async (): Promise<void> => {
    setIsBusy(true);
    try {
      queryClient.setQueryData([...key, 'task', task.id], await kinora.videos.cancel(task));
    } catch (error) {
      toast(error instanceof Error ? error.message : 'The task could not be cancelled.');
      setIsBusy(false);
    }
  };
  return (
    <Button look="plain" isBusy={isBusy} onClick={() => void cancel()}>
      <X /> Cancel
    </Button>
  );
}

function Failed({ task: { error } }: { task: FailedTask }) {
  const { title, advice } = adviceFor(error);
  return (
    <div role="alert" className="max-w-md text-center">
      <CircleAlert className="mx-auto mb-2 size-6 text-failed" />
      <p className="text-read font-medium">{title}</p>
      <p className="mt-1 text-quiet">{advice}</p>
    </div>
  );
}

function Finished({
  task,
  isMain,
  isPlayingAtOnce,
}: {
  task: CompletedTask;
  isMain: boolean;
  isPlayingAtOnce: boolean;
}) {
  const { key } = useProject();
  const queryClient = useQueryClient();
  const source = useVideoSource(task);
  const { width, height, fps, has_audio } = task.video;
  if (!source) {
    return (
      <p className="absolute inset-0 flex items-center justify-center p-4 text-center text-quiet">
        <span>
          The files of this task were deleted <Moment at={task.expires_at} />. The same request with the same seed makes
          the same video again.
        </span>
      </p>
    );
  }
  return (
    <Player
      src={source.url}
      poster={source.poster}
      width={width}
      height={height}
      fps={fps}
      hasAudio={has_audio}
      fileName={`${task.id}.mp4`}
      label={task.prompt}
      isMain={isMain}
      isPlayingAtOnce={isPlayingAtOnce}
      onBroken={() => void queryClient.invalidateQueries({ queryKey: [...key, 'task', task.id] })}
    />
  );
}
