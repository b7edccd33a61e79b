import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { DeliverActivities } from '../activities/deliver-activities.ts';
import type { DeliverWebhookInput } from '../domain/delivery-step.ts';

// One try lasts at most 20 s, and reading and writing rows some more. Retried without limit, because only the infrastructure
// can make it fail: what the receiver does is a result. A try that was made but not committed is then made again.
const { deliver } = proxyActivities<DeliverActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** The durable way of one event to one place: try, wait as long as the answer says, try again, until the end is committed. */
export async function deliverWebhook({ deliveryId }: DeliverWebhookInput): Promise<void> {
  let timesPutOff = 0;
  for (;;) {
    const step = await deliver({ deliveryId, timesPutOff });
    if (step.kind === 'done') return;
    timesPutOff = step.kind === 'later' ? timesPutOff + 1 : 0;
    await sleep(step.afterSeconds * 1000);
    // Being put off many times over makes a history long.
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof deliverWebhook>({ deliveryId });
  }
}
