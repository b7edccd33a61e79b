import type { EventStream } from './event-stream.ts';

/** A reader this far behind is cut off. It reconnects and resumes from the events table. */
const maximumWaiting = 1_000;

export interface OrderedSender {
  /** Sends what `render` returns, after everything that was sent before. */
  send(render: () => Promise<Buffer>): void;
  /** Returns whether messages are still waiting; the caller then skips those that may be skipped. */
  isBusy(): boolean;
}

/** Sends every message, in order. */
export function sendInOrder(stream: EventStream, onError: (error: unknown) => void): OrderedSender {
  const waiting: (() => Promise<Buffer>)[] = [];
  let isSending = false;

  const sendAll = async (): Promise<void> => {
    isSending = true;
    try {
      for (let render = waiting.shift(); render !== undefined && stream.isOpen; render = waiting.shift()) {
        if (stream.isBlocked) await stream.drained();
        stream.write(await render());
      }
    } catch (error) {
      onError(error);
      stream.endSoon();
    } finally {
      isSending = false;
    }
  };

  return {
    send: (render) => {
      if (!stream.isOpen) return;
      if (waiting.length >= maximumWaiting) return stream.endSoon();
      waiting.push(render);
      if (!isSending) void sendAll();
    },
    isBusy: () => isSending || stream.isBlocked,
  };
}
