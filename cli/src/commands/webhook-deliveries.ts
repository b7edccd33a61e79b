import { setTimeout as pause } from 'node:timers/promises';
import type { Kinora, TriedWebhookDelivery, WebhookDelivery } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { printList } from '../print-list.ts';
import { dateAndTime, timeOfDay } from '../terminal/clock.ts';
import { renderFacts } from '../terminal/facts.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { ago } from '../terminal/times.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions {
  endpoint?: string;
  task?: string;
  status?: WebhookDelivery['status'];
  limit: number;
}

const largestPage = 100;
/** 25 s: a receiver has 20 s to respond. */
const longestTestMilliseconds = 25_000;
const pollMilliseconds = 300;

const head: Column[] = [
  { title: 'delivery' },
  { title: 'status', shrinksTo: 'delivered'.length },
  { title: 'event' },
  { title: 'tries', leftOut: 3 },
  { title: 'created', leftOut: 4 },
  { title: 'endpoint', leftOut: 1 },
  { title: 'task', leftOut: 2 },
];

/** Adds the commands that send events and show what became of them. */
export function addWebhookDeliveries(webhooks: Command, context: () => Context): void {
  webhooks
    .command('test')
    .description('send a test event to an endpoint and show what it responds')
    .argument('<endpoint>', 'its id, whk_…')
    .action(async (endpointId: string) => {
      const current = context();
      const kinora = await current.kinora();
      await showOutcome(current, kinora, await kinora.webhookEndpoints.test(endpointId));
    });
  webhooks
    .command('deliveries')
    .description('list the newest deliveries to endpoints and callback URLs')
    .option('--endpoint <id>', 'only deliveries to this endpoint')
    .option('--task <id>', 'only deliveries about this task')
    .addOption(
      new Option('--status <status>', 'only deliveries with this status').choices(['pending', 'delivered', 'dead']),
    )
    .option('-n, --limit <number>', 'the maximum number of deliveries', wholeNumber('--limit', 1, 999_999), 20)
    .action((options: ListOptions) => list(context(), options));
  webhooks
    .command('delivery')
    .description('show a delivery with every try and what the receiver responded')
    .argument('<delivery>', 'its id, del_…')
    .action(async (deliveryId: string) => {
      const { kinora, print, columns } = context();
      const delivery = await (await kinora()).webhookEndpoints.deliveries.get(deliveryId);
      print(renderDelivery(delivery, columns), delivery);
    });
  webhooks
    .command('redeliver')
    .description('send the event of a delivery again and show what the receiver responds')
    .argument('<delivery>', 'its id, del_…')
    .action(async (deliveryId: string) => {
      const current = context();
      const kinora = await current.kinora();
      await showOutcome(current, kinora, await kinora.webhookEndpoints.deliveries.redeliver(deliveryId));
    });
}

async function list(context: Context, { endpoint, task, status, limit }: ListOptions): Promise<void> {
  const query = {
    limit: Math.min(largestPage, limit),
    ...(endpoint && { endpoint_id: endpoint }),
    ...(task && { task_id: task }),
    ...(status && { status }),
  };
  const { deliveries } = (await context.kinora()).webhookEndpoints;
  await printList(context, deliveries.list(query), { render: renderDeliveries, limit });
}

/** Waits for the first try and shows it. The exit code says whether the receiver took the event. */
async function showOutcome({ print, columns }: Context, kinora: Kinora, { id }: WebhookDelivery): Promise<void> {
  const { deliveries } = kinora.webhookEndpoints;
  const end = Date.now() + longestTestMilliseconds;
  let delivery = await deliveries.get(id);
  while (delivery.status === 'pending' && delivery.try_count === 0 && Date.now() < end) {
    await pause(pollMilliseconds);
    delivery = await deliveries.get(id);
  }
  print(renderDelivery(delivery, columns), delivery);
  if (delivery.status !== 'delivered') process.exitCode = exitCodes.failed;
}

/** Renders one row per delivery. */
export function renderDeliveries(
  deliveries: readonly WebhookDelivery[],
  columns?: number,
  now: number = Date.now(),
): string {
  if (deliveries.length === 0) return 'No deliveries.';
  const rows = deliveries.map((delivery) => [
    delivery.id,
    statusOf(delivery),
    delivery.event_type,
    String(delivery.try_count),
    ago(delivery.created_at, now),
    delivery.endpoint_id ?? 'callback URL',
    delivery.task_id ?? '–',
  ]);
  return renderTable(head, rows, columns);
}

/** Renders a delivery and each of its tries. */
export function renderDelivery(delivery: TriedWebhookDelivery, columns?: number): string {
  const { next_try_at: nextTryAt, tries } = delivery;
  const facts = renderFacts(
    [
      ['delivery', delivery.id],
      ['event', `${delivery.event_type}, ${delivery.event_id}`],
      ['task', delivery.task_id],
      ['to', delivery.endpoint_id ?? 'the callback URL of the task'],
      ['status', statusOf(delivery)],
      ['created', dateAndTime(delivery.created_at)],
      ['next try', nextTryAt === null ? null : dateAndTime(nextTryAt)],
    ],
    columns,
  );
  const rows = tries.map(({ number, at, duration_ms: milliseconds, status, reason, answer }) => [
    String(number),
    timeOfDay(at),
    `${milliseconds} ms`,
    status === null ? '–' : String(status),
    reason ?? answer ?? '',
  ]);
  const response: Column = { title: 'response', shrinksTo: 20, wraps: true };
  return rows.length === 0
    ? facts
    : `${facts}\n\n${renderTable(['try', 'at', 'took', 'code', response], rows, columns)}`;
}

function statusOf({ status, dead_reason: reason }: WebhookDelivery): string {
  return reason === null ? status : `${status}: ${reason}`;
}
