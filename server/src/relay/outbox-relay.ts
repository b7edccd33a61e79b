import type { Database } from '../db/database.ts';
import type { OutboxMessage } from '../db/queue/outbox-table.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import type { Log } from '../telemetry/log.ts';

const batchSize = 50;
/** 2 s: work must start within 10 s after Temporal returns, also if the first try then times out once more. */
const longestWaitSeconds = 2;

interface Dependencies {
  db: Database;
  workflows: WorkflowClient;
  log: Log;
}

/** Sends due messages to Temporal that their writers have not sent. Returns whether there may be more. */
export async function relayOutbox({ db, workflows, log }: Dependencies): Promise<boolean> {
  return db.transaction(async ({ outbox }) => {
    const messages = await outbox.takeDue(batchSize);
    if (messages.length === 0) return false;
    const errors = await Promise.all(messages.map((message) => send(workflows, message)));
    const failures = messages.filter((_, index) => errors[index] !== null);
    await outbox.delete(messages.filter((_, index) => errors[index] === null).map((message) => message.outboxId));
    if (failures.length > 0) {
      const tries = Math.min(...failures.map((message) => message.tries));
      const waitSeconds = Math.min(longestWaitSeconds, 2 ** tries);
      await outbox.postpone(
        failures.map((message) => message.outboxId),
        1000 * waitSeconds,
      );
      log.warn(
        { event: 'outbox.send_failed', err: errors.find((error) => error !== null), messages: failures.length },
        'outbox messages not sent',
      );
    }
    return messages.length === batchSize && failures.length === 0;
  });
}

async function send(workflows: WorkflowClient, message: OutboxMessage): Promise<unknown> {
  try {
    if (message.kind === 'cancel') await workflows.cancel(message.taskId);
    else await workflows.start(message);
    return null;
  } catch (error) {
    return error;
  }
}
