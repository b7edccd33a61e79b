import type { Database } from '../../db/database.ts';
import type { WorkflowState } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';

export type DeliveryFinding =
  | { kind: 'delivery-restarted'; deliveryId: string; state: WorkflowState }
  | { kind: 'delivery-stuck'; deliveryId: string }
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
      // An error from Temporal other than "not found" says nothing about the delivery.
      const state = await dependencies.workflows.state(delivery.deliveryId).catch(() => null);
      if (state === null) continue;
      if (state === 'running' || state === 'stuck') alive.push(delivery.deliveryId);
      if (state !== 'running') findings.push(await revive(dependencies, delivery, state, isDryRun));
    }
  };
  await Promise.all(Array.from({ length: checksAtOnce }, checkNext));
  if (!isDryRun) await db.webhookDeliveries.markChecked(alive, clock.now());
  return findings;
}

type OverdueDelivery = Awaited<ReturnType<Database['webhookDeliveries']['overdue']>>[number];

async function revive(
  { db, clock }: WorkflowParts,
  delivery: OverdueDelivery,
  state: Exclude<WorkflowState, 'running'>,
  isDryRun: boolean,
): Promise<DeliveryFinding> {
  const { deliveryId } = delivery;
  if (state === 'stuck') return { kind: 'delivery-stuck', deliveryId };
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
