import type { TaskChange } from '../db/tasks/task-table.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../telemetry/log.ts';
import { throttled } from './throttled.ts';

const everyMilliseconds = 50;
/** Postgres accepts payloads of less than 8000 bytes; ours are ASCII only. */
const longestPayload = 7_900;

/** Notifies every process of changed tasks, with ids and versions; a process that watches reads the rows. */
export interface Notices {
  /** Announces a committed change. It never waits and never fails: a lost notice only costs time. */
  changed(change: TaskChange): void;
  /** Sends the changes that are still pending. */
  close(): Promise<void>;
}

interface Dependencies {
  send: (payloads: readonly string[]) => Promise<void>;
  clock: Clock;
  log: Log;
}

/** Sends the collected changes at most every 50 ms, so that the number of sends does not grow with the traffic. */
export function createNotices({ send, clock, log }: Dependencies): Notices {
  const pending = new Map<string, TaskChange>();
  const flush = throttled(clock, everyMilliseconds, async () => {
    const changes = [...pending.values()];
    pending.clear();
    if (changes.length === 0) return;
    await send(encodeNotices(changes)).catch((error: unknown) =>
      log.debug({ event: 'notices.send_failed', err: error }, 'notices not sent'),
    );
  });
  return {
    changed: (change) => {
      pending.set(change.taskId, change);
      flush.soon();
    },
    close: () => flush.close(),
  };
}

/** Encodes changes as as few payloads as possible. */
export function encodeNotices(changes: readonly TaskChange[]): string[] {
  const payloads: string[] = [];
  let payload = '';
  for (const { taskId, projectId, livemode, version } of changes) {
    const entry = `${taskId},${projectId},${livemode ? 'live' : 'test'},${version}`;
    if (payload !== '' && payload.length + 1 + entry.length > longestPayload) {
      payloads.push(payload);
      payload = '';
    }
    payload = payload === '' ? entry : `${payload} ${entry}`;
  }
  return payload === '' ? payloads : [...payloads, payload];
}

/** Decodes a payload. An entry in the format of another version of the service is skipped. */
export function decodeNotices(payload: string): TaskChange[] {
  return payload.split(' ').flatMap((entry) => {
    const [, taskId, projectId, mode, version] = /^(task_\w+),(proj_\w+),(live|test),(\d+)$/.exec(entry) ?? [];
    if (taskId === undefined || projectId === undefined) return [];
    return [{ taskId, projectId, livemode: mode === 'live', version: Number(version) }];
  });
}
