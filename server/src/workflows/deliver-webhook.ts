import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeliverActivities } from '../activities/deliver-activities.ts';
import type { DeliverWebhookInput } from '../domain/delivery-step.ts';

// One try lasts at most 20 s, and reading and writing rows takes some more. The activity is retried without limit,
// because only the infrastructure can make it fail: a bad receiver is a result. A try that was made but not committed
// is repeated.
const { deliver } = proxyActivities<DeliverActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/**
 * Delivers one event to one receiver. The workflow tries, waits as long as the result says, and repeats until the
 * delivery's outcome is committed.
 */
export async function deliverWebhook({ deliveryId }: DeliverWebhookInput): Promise<void> {
  let timesPutOff = 0;
  for (;;) {
    const step = await deliver({ deliveryId, timesPutOff });
    if (step.kind === 'done') return;
    timesPutOff = step.kind === 'later' ? timesPutOff + 1 : 0;
    await sleep(step.afterSeconds * 1000);
    // Continuing as new shortens the history of a delivery that was postponed often, and restarts `timesPutOff`.
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof deliverWebhook>({ deliveryId });
  }
}
