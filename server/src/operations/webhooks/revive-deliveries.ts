import type { Database } from '../../db/database.ts';
import type { WorkflowState } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';

export type DeliveryFinding =
  | { kind: 'delivery-restarted'; deliveryId: string; state: WorkflowState }
  | { kind: 'delivery-without-end'; deliveryId: string };

const deliveriesPerRound = 500;
const checksAtOnce = 20;

/**
 * Checks deliveries whose next try is long overdue. One whose workflow Temporal has lost is restarted, and one whose
 * workflow has completed is ended. One that merely waits for its receiver to have room is left alone.
 */
export async function reviveDeliveries(dependencies: WorkflowParts, isDryRun: boolean): Promise<DeliveryFinding[]> {
  const { db, clock } = dependencies;
  const queue = await db.webhookDeliveries.overdue(clock.now(), deliveriesPerRound);
  const findings: DeliveryFinding[] = [];
  const alive: string[] = [];
  const checkNext = async (): Promise<void> => {
    for (let delivery = queue.shift(); delivery; delivery = queue.shift()) {
      const finding = await check(dependencies, delivery, isDryRun);
      if (finding === 'alive') alive.push(delivery.deliveryId);
      else if (finding !== 'unknown') findings.push(finding);
    }
  };
  await Promise.all(Array.from({ length: checksAtOnce }, checkNext));
  if (!isDryRun) await db.webhookDeliveries.markChecked(alive, clock.now());
  return findings;
}

type OverdueDelivery = Awaited<ReturnType<Database['webhookDeliveries']['overdue']>>[number];

async function check(
  { db, workflows, clock }: WorkflowParts,
  delivery: OverdueDelivery,
  isDryRun: boolean,
): Promise<DeliveryFinding | 'alive' | 'unknown'> {
  const { deliveryId } = delivery;
  // An error from Temporal other than "not found" says nothing about the delivery.
  const state = await workflows.state(deliveryId).catch(() => null);
  if (state === null) return 'unknown';
  if (state === 'running') return 'alive';
  const now = clock.now();
  if (state === 'completed') {
    if (!isDryRun) await db.webhookDeliveries.end(deliveryId, 'lost', now);
    return { kind: 'delivery-without-end', deliveryId };
  }
  if (!isDryRun) {
    await db.transaction(async ({ outbox, webhookDeliveries }) => {
      await webhookDeliveries.markChecked([deliveryId], now);
      await outbox.add([{ kind: 'deliver', ...delivery }]);
    });
  }
  return { kind: 'delivery-restarted', deliveryId, state };
}
