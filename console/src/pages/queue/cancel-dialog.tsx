import { ConflictError, GoneError, type Kinora, NotFoundError, RateLimitError, type Task } from '@kinora/sdk';
import { useEffect, useRef, useState } from 'react';
import { useProject } from '../../api/project.tsx';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { formatCount } from '../../design/format.ts';
import { Meter } from '../../design/progress.tsx';
import { Problem } from '../../design/states.tsx';
import { toast } from '../../design/toasts.tsx';
import { type CancelResult, howCancelWent, tasksInWords, whatCancelDoes } from './cancel-words.ts';
import { type Outcome, runAll } from './run-all.ts';

/** Fast enough for hundreds, and slow enough to leave the other requests of the page their turn. */
const atOnce = 6;

/** Asks, cancels with a few requests at a time, and tells how it went. */
export function CancelDialog({ tasks: given, onClose }: { tasks: readonly Task[]; onClose: () => void }) {
  const { kinora } = useProject();
  const [tasks, setTasks] = useState(given);
  const [outcomes, setOutcomes] = useState<readonly Outcome<Task>[] | null>(null);
  const [isOver, setIsOver] = useState(false);
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);

  const start = async (those: readonly Task[]): Promise<void> => {
    const ending = new AbortController();
    stopping.current = ending;
    setTasks(those);
    setIsOver(false);
    setOutcomes([]);
    const all: Outcome<Task>[] = [];
    await runAll(those, (task) => cancelPatiently(kinora, task, ending.signal), {
      atOnce,
      signal: ending.signal,
      onOutcome: (outcome) => {
        all.push(outcome);
        setOutcomes([...all]);
      },
    });
    const result = resultOf(all);
    if (result.failed > 0) return setIsOver(true);
    toast(howCancelWent(result));
    onClose();
  };

  const running = tasks.filter(({ status }) => status === 'in_progress').length;
  const result = resultOf(outcomes ?? []);
  const failed = (outcomes ?? []).filter(isFailure);
  if (outcomes === null) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`Cancel ${tasksInWords(tasks.length)}`}
        lead={whatCancelDoes({ running, waiting: tasks.length - running })}
        footer={
          <>
            <Button onClick={onClose}>Keep {tasks.length === 1 ? 'it' : 'them'}</Button>
            <Button look="danger" onClick={() => void start(tasks)}>
              Cancel {tasksInWords(tasks.length)}
            </Button>
          </>
        }
      >
        {tasks.length === 1 && <p className="line-clamp-3 border-l-2 pl-3">{tasks[0]?.prompt}</p>}
      </Dialog>
    );
  }
  if (!isOver) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="Cancelling"
        footer={<Button onClick={onClose}>Stop</Button>}
        lead={`${formatCount(outcomes.length)} of ${tasksInWords(tasks.length)}.`}
      >
        <Meter label="Cancelled" used={outcomes.length} limit={tasks.length} />
      </Dialog>
    );
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Some tasks could not be cancelled"
      lead={howCancelWent(result)}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" onClick={() => void start(failed.map(({ item }) => item))}>
            Try {failed.length === 1 ? '' : `all ${formatCount(failed.length)} `}again
          </Button>
        </>
      }
    >
      <Problem error={failed[0]?.error} isInline />
    </Dialog>
  );
}

/** Cancels a task; if the service asks to wait, it waits. */
async function cancelPatiently(kinora: Kinora, task: Task, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await kinora.videos.cancel(task, { signal });
      return;
    } catch (error) {
      if (!(error instanceof RateLimitError) || signal.aborted) throw error;
      const seconds = error.retryAfterSeconds ?? 1;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}

function resultOf(outcomes: readonly Outcome<Task>[]): CancelResult {
  const failed = outcomes.filter(isFailure).length;
  const cancelled = outcomes.filter(({ error }) => error === null).length;
  return { cancelled, failed, alreadyEnded: outcomes.length - failed - cancelled };
}

/** A task that ended or was deleted in the meantime needs no cancellation. */
function isFailure({ error }: Outcome<Task>): boolean {
  const hasEnded = error instanceof ConflictError || error instanceof NotFoundError || error instanceof GoneError;
  return error !== null && !hasEnded;
}
