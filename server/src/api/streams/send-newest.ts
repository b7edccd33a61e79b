import type { TaskView } from '../../domain/task-view.ts';
import type { EventStream } from './event-stream.ts';
import type { TaskFrame } from './task-frames.ts';

/** Sends a task's states until the final one. A slow reader skips outdated states: one unsent state is kept at most. */
export function sendNewest(
  stream: EventStream,
  render: (view: TaskView) => Promise<TaskFrame>,
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
    // The record no longer exists, or the caller has deleted the task: not even a slow reader may read on.
    if (view === null || view.task.deletedAt !== null) return stream.endSoon();
    newest = view;
    if (!isSending) void sendAll();
  };
}

/** Returns whether a frame is newer: reads may finish out of order, and progress never falls within an attempt. */
function isNews(frame: TaskFrame, sent: TaskFrame): boolean {
  if (frame.version !== sent.version) return frame.version > sent.version;
  return frame.progress >= sent.progress && frame.fingerprint !== sent.fingerprint;
}
