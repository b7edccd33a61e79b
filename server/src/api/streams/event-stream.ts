import { Readable } from 'node:stream';

/** How long a browser waits before it connects again. */
const reconnectMilliseconds = 2_000;
/** What may lie here unsent beside what the socket holds. */
const bufferBytes = 32 * 1024;
/** A reader that takes nothing for so long is given up: it can connect again and go on where it was. */
const longestBlockMilliseconds = 30_000;
/** What a reader may take to read the end when the connection has to go. */
const cutOffMilliseconds = 1_000;

/** Of every event stream: nothing between us and the reader may keep, change or hold it back. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  // A server that closes would otherwise wait for the next request on it.
  connection: 'close',
};

/** One message of server-sent events. `data` must be on one line, as JSON is. */
export function eventMessage({ id, event, data }: { id?: string; event: string; data: string }): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}

/** The body of a stream: what is written to it goes out as it comes, and it knows when its reader falls behind. */
export class EventStream {
  readonly body: Readable;
  #blockedSince: number | null = null;
  #onDrained: (() => void)[] = [];
  #hasEnded = false;
  readonly #cutOff: () => void;

  constructor({ cutOff, onClose }: { cutOff: () => void; onClose: () => void }) {
    this.#cutOff = cutOff;
    this.body = new Readable({ highWaterMark: bufferBytes, read: () => this.#unblock() });
    // Whoever reads it hears of an error by the broken connection.
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

  /** Resolves when the reader has caught up, or is gone. */
  async drained(): Promise<void> {
    if (this.#blockedSince === null || this.#hasEnded) return;
    await new Promise<void>((resolve) => this.#onDrained.push(resolve));
  }

  /** Keeps the line open, and gives up a reader that takes nothing. */
  beat(): void {
    if (this.#blockedSince === null) this.write(': keep-alive\n\n');
    else if (performance.now() - this.#blockedSince > longestBlockMilliseconds) this.#cutOff();
  }

  /** Ends the stream after what was written. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.body.push(null);
    this.#unblock();
  }

  /** The same where the connection has to go, however slow its reader is. */
  endSoon(): void {
    this.end();
    setTimeout(this.#cutOff, cutOffMilliseconds).unref();
  }

  #unblock(): void {
    this.#blockedSince = null;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
