import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { runClosedLoop } from '../send-load.ts';
import { readTaskEnds, type TaskEnds } from '../task/task-ends.ts';

/** What the callers saw since the sample before. */
export interface LoadWindow {
  /** Tasks that were completed. */
  tasks: number;
  createMilliseconds: number;
  readMilliseconds: number;
  /** From the create to the event that the task is completed. */
  taskMilliseconds: number;
}

export interface SoakLoad {
  /** Runs tasks one after the other in several lanes, and returns how many per second the machine completes. */
  measureCapacity(tasks: number): Promise<number>;
  /** Sends tasks at this rate and waits for the last ones. */
  send(perSecond: number, seconds: number): Promise<void>;
  /** Returns the medians since the last call. */
  takeWindow(): LoadWindow;
  /** Tasks that were asked for and those that were completed, and what went wrong. */
  readonly sent: number;
  /** Tasks that were due while too many were in flight, and that were therefore left out. */
  readonly missed: number;
  readonly completed: number;
  readonly errors: readonly string[];
}

/** Reads per create, as callers that poll send them. */
const readsPerTask = 5;
const readEveryMilliseconds = 300;
/** One task in 20 uses a test key, so that the built-in engine works too. */
const testTaskEvery = 20;
interface SoakLoadOptions {
  callbackUrl: string;
  lanes: number;
  /** At this many the load leaves tasks out, because a backlog would make memory grow for another reason than a leak. */
  mostInFlight: number;
  hasTestTasks: boolean;
  signal: AbortSignal;
}

/** Opens an event stream per key and returns a load of tasks, each with reads and a webhook. */
export async function createSoakLoad(
  installation: Installation,
  { callbackUrl, lanes, mostInFlight, hasTestTasks, signal }: SoakLoadOptions,
): Promise<SoakLoad> {
  const follow = async (key: string) => {
    const client = createApiClient({ url: installation.url, key });
    return { client, ends: await followEnds(client, signal) };
  };
  const live = await follow(installation.liveKey);
  const test = await follow(installation.testKey);
  const request = { prompt: 'A hill at dusk', ...smallestVideo, callback_url: callbackUrl };
  let window = emptyWindow();
  const errors: string[] = [];
  let sent = 0;
  let completed = 0;
  let missed = 0;
  const timed = async <T>(into: number[], work: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work;
    into.push(performance.now() - startedAt);
    return result;
  };
  const runTask = async (): Promise<void> => {
    const isTest = sent++ % testTaskEvery === testTaskEvery - 1 && hasTestTasks;
    const { client, ends } = isTest ? test : live;
    const startedAt = performance.now();
    const { task_id: taskId } = await timed(window.creates, client.create(request));
    const reading = readRepeatedly(async () => void (await timed(window.reads, client.read(taskId))));
    const ending = ends.completed(taskId).then(() => {
      window.tasks.push(performance.now() - startedAt);
      completed += 1;
    });
    await Promise.all([reading, ending]);
  };
  return {
    measureCapacity: async (tasks) => {
      const { requests, seconds } = await runClosedLoop(tasks, lanes, runTask);
      return requests / seconds;
    },
    async send(perSecond, seconds) {
      const running = new Set<Promise<void>>();
      const startedAt = performance.now();
      const total = Math.floor(perSecond * seconds);
      for (let number = 0; number < total; ) {
        await pause(Math.max(0, startedAt + (number / perSecond) * 1000 - performance.now()));
        const task: Promise<void> = runTask()
          .catch((error: Error) => void errors.push(error.message))
          .finally(() => running.delete(task));
        running.add(task);
        if (running.size >= mostInFlight) await Promise.race(running);
        const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
        missed += Math.max(0, Math.min(due, total) - number - 1);
        number = Math.max(number + 1, due);
      }
      await Promise.all(running);
    },
    takeWindow: () => {
      const { creates, reads, tasks } = window;
      window = emptyWindow();
      return {
        tasks: tasks.length,
        createMilliseconds: percentile(creates, 50),
        readMilliseconds: percentile(reads, 50),
        taskMilliseconds: percentile(tasks, 50),
      };
    },
    get sent() {
      return sent;
    },
    get missed() {
      return missed;
    },
    get completed() {
      return completed;
    },
    errors,
  };
}

function emptyWindow() {
  return { creates: [] as number[], reads: [] as number[], tasks: [] as number[] };
}

async function readRepeatedly(read: () => Promise<void>): Promise<void> {
  for (let count = 0; count < readsPerTask; count += 1) {
    await read();
    if (count < readsPerTask - 1) await pause(readEveryMilliseconds);
  }
}

async function followEnds(client: ApiClient, signal: AbortSignal): Promise<TaskEnds> {
  const open = async (lastEventId: string | null): Promise<ReadableStream<Uint8Array>> => {
    const headers = lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
    const { status, body } = await client.fetch('/v1/events', { headers, signal });
    if (status !== 200 || !body) throw new Error(`GET /v1/events got ${status}`);
    return body;
  };
  return readTaskEnds(await open(null), open);
}
