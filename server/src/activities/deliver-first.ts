import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { createConcurrencyLimit, NoPermit } from '../domain/concurrency-limit.ts';
import { limits } from '../domain/limits.ts';
import { createOutboxClearing } from '../operations/queue/outbox-clearing.ts';
import type { DeliveryStart, WorkflowClient } from '../operations/queue/workflow-client.ts';
import type { Log } from '../telemetry/log.ts';
import type { TryDelivery } from './deliver-activities.ts';

/** 5 s more than a try may last, for reading and writing its rows. */
const slackMilliseconds = 5_000;
/** 250 ms: the relay takes the row 2 s after it was written, and the commit may have taken some time. */
const holdAfterMilliseconds = 250;

interface Dependencies {
  db: Pick<Database, 'outbox'>;
  workflows: WorkflowClient;
  tryDelivery: TryDelivery;
  /** How long one try may last. */
  tryMilliseconds: number;
  clock: Clock;
  log: Log;
}

/**
 * Makes the first try of a delivery in this process, right after its commit: most need no second one, so no workflow.
 * One that fails, has no room or is dropped at shutdown gets its workflow; after a crash the relay starts it by its
 * outbox row.
 */
export function deliverFirst(dependencies: Dependencies): { workflows: WorkflowClient; close(): Promise<void> } {
  const { db, workflows, tryDelivery, tryMilliseconds, clock, log } = dependencies;
  const closing = new AbortController();
  const permits = createConcurrencyLimit(limits.firstDeliveries);
  const running = new Set<Promise<void>>();
  const clearing = createOutboxClearing({ db, clock, log });

  const run = async (start: DeliveryStart): Promise<void> => {
    // The relay must not start a workflow while the receiver takes its time: it would be sent the event twice.
    const endHold = clock.after(holdAfterMilliseconds, () => {
      db.outbox.postpone([start.outboxId], tryMilliseconds + slackMilliseconds).catch(() => undefined); // then the relay cannot read the row either
    });
    // An error says nothing about the delivery. Its workflow tries again, and logs what is wrong.
    const step = await tryDelivery({ deliveryId: start.deliveryId, timesPutOff: 0 }, closing.signal).catch(() => null);
    endHold();
    if (step?.kind !== 'done') return workflows.startSoon([start]);
    clearing.add(start.outboxId);
  };

  const deliver = (start: DeliveryStart): void => {
    const release = closing.signal.aborted ? null : permits.tryAcquire(start.projectId);
    // The workflows share the workers out fairly.
    if (release === null || release instanceof NoPermit) return workflows.startSoon([start]);
    const trying = run(start).finally(() => {
      release();
      running.delete(trying);
    });
    running.add(trying);
  };

  return {
    workflows: {
      ...workflows,
      startSoon(starts) {
        workflows.startSoon(starts.filter(({ kind }) => kind === 'start'));
        for (const start of starts) if (start.kind === 'deliver') deliver(start);
      },
    },
    close: async () => {
      closing.abort();
      await Promise.all(running);
      await clearing.close();
    },
  };
}
