import { randomUUID } from 'node:crypto';
import { Agent, WebSocket } from 'undici';
import { followProgress, type JobProgress } from './comfyui-progress.ts';
import type { ComfyGraph } from './comfyui-template.ts';

/** The WebSocket of an endpoint, which reports the progress of its jobs. Only polling shows how a job ended. */
interface ComfySocket {
  /** Returns the id to submit jobs under, once the socket is open, or after 1 s: then jobs have no progress. */
  clientId(): Promise<string>;
  follow(promptId: string, graph: ComfyGraph): void;
  /** Returns 0..100; null for jobs that the socket does not report on. */
  progressOf(promptId: string): number | null;
  forget(promptId: string): void;
  close(): Promise<void>;
}

const openMilliseconds = 1_000;
const reopenMilliseconds = [100, 500, 2_000, 5_000, 10_000];
/** The last reported progress is valid until this many attempts to connect have failed. */
const maximumFailures = 3;
/** Previews of unfinished frames come as binary messages, if the operator switched them on. */
const maximumMessageBytes = 4 * 1024 * 1024;
/** How many jobs are followed: a new one replaces the oldest, so that jobs without polls do not pile up. */
const maximumJobs = 64;

interface Followed {
  progress: JobProgress;
  /** Whether the progress is known: the socket was open at the submit, or a message has arrived since. */
  isHeard: boolean;
}

export function createComfySocket({ url, token }: { url: string; token: string | null }): ComfySocket {
  const dispatcher = new Agent({
    connect: { timeout: openMilliseconds },
    webSocket: { maxPayloadSize: maximumMessageBytes },
  });
  const address = url.replace(/\/+$/, '').replace(/^http/, 'ws');
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const jobs = new Map<string, Followed>();
  let clientId = randomUUID();
  let socket: WebSocket | null = null;
  let opening: Promise<void> | null = null;
  let failures = 0;
  let reopening: NodeJS.Timeout | null = null;
  let isClosed = false;

  /** Resolves when the socket is open or has failed; never rejects. */
  function open(): Promise<void> {
    if (isClosed) return Promise.resolve();
    if (reopening) clearTimeout(reopening);
    reopening = null;
    // The server reports a job's progress to the id that submitted it, so the id stays while there are jobs. Otherwise
    // the id changes: when the server notices late that an old socket has closed, it stops sending to a new one with
    // the same id.
    if (jobs.size === 0) clientId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    const opened = new WebSocket(`${address}/ws?clientId=${clientId}`, { dispatcher, headers });
    opened.binaryType = 'arraybuffer';
    opened.addEventListener('open', () => {
      failures = 0;
      resolve();
    });
    opened.addEventListener('message', ({ data }: { data: unknown }) => {
      if (typeof data === 'string') hear(data);
    });
    opened.addEventListener('error', () => undefined); // a close follows
    opened.addEventListener('close', () => {
      resolve();
      if (socket !== opened) return;
      socket = null;
      failures += 1;
      if (jobs.size > 0) reopenLater();
    });
    socket = opened;
    return promise;
  }

  function reopenLater(): void {
    if (isClosed) return;
    const milliseconds = reopenMilliseconds[Math.min(failures, reopenMilliseconds.length) - 1];
    reopening = setTimeout(() => void open(), milliseconds).unref();
  }

  function hear(text: string): void {
    const message = parseMessage(text);
    const job = message && jobs.get(message.promptId);
    if (!job) return;
    job.isHeard = true;
    job.progress.hear(message.type, message.data);
  }

  const isOpen = (): boolean => socket?.readyState === WebSocket.OPEN;

  return {
    async clientId() {
      if (!isOpen()) {
        if (!socket || socket.readyState !== WebSocket.CONNECTING) opening = open();
        await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, openMilliseconds).unref())]);
      }
      return clientId;
    },

    follow(promptId, graph) {
      jobs.set(promptId, { progress: followProgress(graph), isHeard: isOpen() });
      const [oldest] = jobs.keys();
      if (jobs.size > maximumJobs && oldest !== undefined) jobs.delete(oldest);
    },

    progressOf(promptId) {
      const job = jobs.get(promptId);
      return job?.isHeard && failures < maximumFailures ? job.progress.percent() : null;
    },

    forget: (promptId) => void jobs.delete(promptId),

    async close() {
      isClosed = true;
      if (reopening) clearTimeout(reopening);
      const closing = socket;
      socket = null;
      closing?.close();
      await dispatcher.destroy();
    },
  };
}

function parseMessage(text: string): { type: string; promptId: string; data: Record<string, unknown> } | null {
  try {
    const { type, data } = JSON.parse(text) as { type?: unknown; data?: Record<string, unknown> | null }; // checked below
    const promptId = data?.['prompt_id'];
    return typeof type === 'string' && data && typeof promptId === 'string' ? { type, promptId, data } : null;
  } catch {
    return null; // also for JSON null, which has no fields
  }
}
