import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** How the one callback of a task ended. */
export interface Delivery {
  isDelivered: boolean;
  /** The status of the response to the last try; null if there was no response, and then `reason` says why. */
  status: number | null;
  reason: string | null;
}

export interface Deliveries {
  /** Resolves once the callback of this task was delivered or abandoned. */
  ended(taskId: string): Promise<Delivery>;
  close(): Promise<void>;
}

const pollMilliseconds = 250;
const patienceMilliseconds = 90_000;

interface Row {
  task_id: string;
  status: string;
  dead_reason: string | null;
  response_status: number | null;
  reason: string | null;
}

/** Polls the database with one query for all callbacks that cases wait for. */
export function watchDeliveries(database: Client, signal: AbortSignal): Deliveries {
  const waiting = new Map<string, PromiseWithResolvers<Delivery> & { deadline: number }>();
  const ending = new AbortController();
  const closing = AbortSignal.any([ending.signal, signal]);
  const poll = async (): Promise<void> => {
    for (;;) {
      await sleep(pollMilliseconds, undefined, { signal: closing });
      if (waiting.size === 0) continue;
      for (const { taskId, ...delivery } of await readEnded(database, [...waiting.keys()])) {
        waiting.get(taskId)?.resolve(delivery);
        waiting.delete(taskId);
      }
      for (const [taskId, { deadline, reject }] of waiting) {
        if (Date.now() < deadline) continue;
        reject(new Error('the callback was neither delivered nor abandoned in time'));
        waiting.delete(taskId);
      }
    }
  };
  // Polling ends only with an error or an abort, which each waiting case gets as its own error.
  const polling = poll().catch((error: unknown) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  return {
    async ended(taskId) {
      closing.throwIfAborted();
      const delivery = Promise.withResolvers<Delivery>();
      waiting.set(uuidOf(taskId), { ...delivery, deadline: Date.now() + patienceMilliseconds });
      return delivery.promise;
    },
    async close() {
      ending.abort();
      await polling;
    },
  };
}

async function readEnded(database: Client, taskIds: string[]): Promise<(Delivery & { taskId: string })[]> {
  const { rows } = await database.query<Row>(
    `select d.task_id, d.status, d.dead_reason, t.status as response_status, t.reason
       from webhook_deliveries d
       left join webhook_tries t on t.delivery_id = d.id and t.try = d.tries
      where d.task_id = any($1::uuid[]) and d.status <> 'pending'`,
    [taskIds],
  );
  return rows.map(({ task_id: taskId, status, dead_reason: deadReason, response_status: responseStatus, reason }) => ({
    taskId,
    isDelivered: status === 'delivered',
    status: responseStatus,
    reason: reason ?? deadReason,
  }));
}

/** Returns the UUID that the database has for a task; the task's id is the same number in Crockford's base32. */
function uuidOf(taskId: string): string {
  const digits = [...taskId.replace(/^task_/, '')].map((letter) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(letter));
  const hex = digits
    .reduce((value, digit) => value * 32n + BigInt(digit), 0n)
    .toString(16)
    .padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
