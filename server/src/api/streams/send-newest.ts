import type { TaskView } from '../../domain/task-view.ts';
import type { EventStream } from './event-stream.ts';
import type { RenderTask, TaskFrame } from './task-frames.ts';

/**
 * Sends a task's states into its stream and ends it after the final one. A reader who falls behind is spared what has been
 * overtaken: it gets the newest state, and no stream ever holds more than one that is still to be sent.
 */
export function sendNewest(
  stream: EventStream,
  render: RenderTask,
  onError: (error: unknown) => void,
): (view: TaskView | null) => void {
  let newest: TaskView | null = null;
  let isSending = false;
  let sent: TaskFrame | null = null;

  const sendAll = async (): Promise<void> => {
    isSending = true;
    try {
      while (newest !== null && stream.isOpen) {
        if (stream.isBlocked) {
          await stream.drained();
          continue; // by now there may be a newer one
        }
        const view: TaskView = newest;
        newest = null;
        const frame = await render(view);
        if (sent !== null && !isNews(frame, sent)) continue;
        sent = frame;
        stream.write(frame.message);
        if (frame.isFinal) stream.end();
      }
    } catch (error) {
      onError(error);
      stream.end();
    } finally {
      isSending = false;
    }
  };

  return (view) => {
    // Its record is gone, or its caller has deleted it: there is nothing more to tell.
    if (view === null || view.task.deletedAt !== null) return stream.end();
    newest = view;
    if (!isSending) void sendAll();
  };
}

/** Two reads may overtake each other; within an attempt progress never falls. */
function isNews(frame: TaskFrame, sent: TaskFrame): boolean {
  if (frame.version !== sent.version) return frame.version > sent.version;
  return frame.progress >= sent.progress && frame.fingerprint !== sent.fingerprint;
}
