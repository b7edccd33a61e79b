import { pause } from '@kinora/stack/harness/pause';
import type { Event } from '../../sdk/src/generated/types.ts';
import { readEvents } from '../../sdk/src/read-events.ts';

/** The ends of all tasks of a project, from one event stream. */
export interface TaskEnds {
  /** Waits until the task is completed. Throws if it ended otherwise, if the stream broke or if it takes too long. */
  completed(taskId: string): Promise<void>;
}

type End = Exclude<Event['type'], 'video.started'>;

/** 120 s: a task takes seconds, and a bench must fail rather than wait for a task that never ends. */
const limitMilliseconds = 120_000;
/** A stream that ends at once must not be opened thousands of times. */
const resumeMilliseconds = 100;

type Body = ReadableStream<Uint8Array>;

/** Reads `GET /v1/events` in the background; `resume` reopens it, because the API ends the stream of a slow reader. */
export function readTaskEnds(body: Body, resume?: (lastEventId: string | null) => Promise<Body>): TaskEnds {
  const ends = new Map<string, PromiseWithResolvers<End>>();
  let broken: Error | null = null;
  // The event can arrive before the response to the create, so an end is stored whether or not it is waited for.
  const endOf = (taskId: string): PromiseWithResolvers<End> => {
    const known = ends.get(taskId) ?? Promise.withResolvers<End>();
    ends.set(taskId, known);
    return known;
  };
  let lastEventId: string | null = null;
  const read = async (stream: Body): Promise<never> => {
    for await (const { id, data } of readEvents(stream)) {
      lastEventId = id ?? lastEventId;
      if (id === null || data === '') continue; // progress of a task, or the position where the stream begins
      const event = JSON.parse(data) as Event; // openapi.json promises this type
      if (event.type !== 'video.started') endOf(event.data.task_id).resolve(event.type);
    }
    throw new Error('the API has ended the event stream');
  };
  const readOn = async (): Promise<never> => {
    for (let stream = body; ; ) {
      const error = await read(stream).catch((reason: Error) => reason);
      if (!resume) throw error;
      await pause(resumeMilliseconds);
      stream = await resume(lastEventId);
    }
  };
  readOn().catch((error: Error) => {
    broken = error;
    for (const end of ends.values()) end.reject(error);
  });
  return {
    async completed(taskId) {
      if (broken && !ends.has(taskId)) throw broken;
      const { promise, reject } = endOf(taskId);
      const timer = setTimeout(() => reject(new Error(`${taskId} did not end within 120 s`)), limitMilliseconds);
      const end = await promise.finally(() => clearTimeout(timer));
      if (end !== 'video.completed') throw new Error(`${taskId} ended with ${end}`);
    },
  };
}
