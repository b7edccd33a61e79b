import { Readable } from 'node:stream';

/** How long a browser waits before it reconnects. */
const reconnectMilliseconds = 2_000;
/** Bytes that may wait here unsent, in addition to those in the socket's buffer. */
const bufferBytes = 32 * 1024;
/** A reader that reads nothing for this long is disconnected. It can reconnect and resume. */
const longestBlockMilliseconds = 30_000;
/** How long a reader may take to read the rest before its connection is destroyed. */
const cutOffMilliseconds = 1_000;

/** The headers of every event stream: no proxy may cache, change or buffer it. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  // Otherwise a closing server would wait for the next request on the connection.
  connection: 'close',
};

/** One message of server-sent events. `data` must be a single line, as JSON is. */
export function eventMessage({ id, event, data }: { id?: string; event: string; data: string }): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}

/** The body of an event stream. It sends what is written at once and knows when its reader falls behind. */
export class EventStream {
  readonly body: Readable;
  #blockedSince: number | null = null;
  #onDrained: (() => void)[] = [];
  #hasEnded = false;
  readonly #cutOff: () => void;

  constructor({ cutOff, onClose }: { cutOff: () => void; onClose: () => void }) {
    this.#cutOff = cutOff;
    this.body = new Readable({ highWaterMark: bufferBytes, read: () => this.#unblock() });
    // The reader learns of an error from the broken connection.
    this.body.on('error', () => undefined);
    this.body.once('close', () => {
      this.#hasEnded = true;
      this.#unblock();
      onClose();
    });
    this.write(`retry: ${reconnectMilliseconds}\n: open\n\n`);
  }

  get isOpen(): boolean {
    return !this.#hasEnded;
  }

  get isBlocked(): boolean {
    return this.#blockedSince !== null;
  }

  write(bytes: Buffer | string): void {
    if (this.#hasEnded) return;
    if (!this.body.push(bytes)) this.#blockedSince ??= performance.now();
  }

  /** Resolves when the reader has caught up or disconnected. */
  async drained(): Promise<void> {
    if (this.#blockedSince === null || this.#hasEnded) return;
    await new Promise<void>((resolve) => this.#onDrained.push(resolve));
  }

  /** Sends a keep-alive, or disconnects a reader that has been blocked for too long. */
  beat(): void {
    if (this.#blockedSince === null) this.write(': keep-alive\n\n');
    else if (performance.now() - this.#blockedSince > longestBlockMilliseconds) this.#cutOff();
  }

  /** Ends the stream after everything written so far. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.body.push(null);
    this.#unblock();
  }

  /** Ends the stream, and soon after that the connection, however slow its reader is. */
  endSoon(): void {
    this.end();
    setTimeout(this.#cutOff, cutOffMilliseconds).unref();
  }

  #unblock(): void {
    this.#blockedSince = null;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
