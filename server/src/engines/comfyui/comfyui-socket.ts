import { randomUUID } from 'node:crypto';
import { Agent, WebSocket } from 'undici';
import { followProgress, type JobProgress } from './comfyui-progress.ts';
import type { ComfyGraph } from './comfyui-template.ts';

/** The one socket of an endpoint, which tells how far its jobs are. It never says how a job ended: only polling does. */
interface ComfySocket {
  /** The id to submit jobs under, once the socket is open; where it does not open within a second, they have no progress. */
  clientId(): Promise<string>;
  follow(promptId: string, graph: ComfyGraph): void;
  /** 0..100; null for jobs that the socket tells nothing of. */
  progressOf(promptId: string): number | null;
  forget(promptId: string): void;
  close(): Promise<void>;
}

const openMilliseconds = 1_000;
const reopenMilliseconds = [100, 500, 2_000, 5_000, 10_000];
/** Until so many tries have failed, what was heard last still holds. */
const patience = 3;
/** Pictures of half-finished frames come as binary messages where the operator switched them on. */
const maximumMessageBytes = 4 * 1024 * 1024;
/** A job that nobody asks about any more is dropped when so many newer ones came. */
const maximumJobs = 64;

interface Followed {
  progress: JobProgress;
  /** Until something is heard of a job, no progress is progress only where the socket was open from its beginning. */
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

  /** Ends when the socket is open or has failed; never throws. */
  function open(): Promise<void> {
    if (isClosed) return Promise.resolve();
    if (reopening) clearTimeout(reopening);
    reopening = null;
    // The server tells a job's progress to the id that it came from, so the id stays while there are jobs. Otherwise a new
    // one: when the server at last notices the end of an old socket, it would go silent towards a new one of the same id.
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
      return job?.isHeard && failures < patience ? job.progress.percent() : null;
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
    const { type, data } = JSON.parse(text) as { type?: unknown; data?: Record<string, unknown> | null }; // looked at below
    const promptId = data?.['prompt_id'];
    return typeof type === 'string' && data && typeof promptId === 'string' ? { type, promptId, data } : null;
  } catch {
    return null; // also for JSON null, which has no fields
  }
}
