import type { ChangeWebhookEndpoint, CreateWebhookEndpoint, WebhookEndpoint } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { forEachId } from '../for-each-id.ts';
import { helpExamples } from '../help-examples.ts';
import { printList } from '../print-list.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { ago } from '../terminal/times.ts';
import { wholeNumber } from '../whole-number.ts';
import { addWebhookDeliveries } from './webhook-deliveries.ts';

interface EndpointOptions {
  url?: string;
  events?: string;
  description?: string;
  status?: WebhookEndpoint['status'];
}

const head: Column[] = [
  { title: 'endpoint' },
  { title: 'status', shrinksTo: 'disabled'.length },
  { title: 'created', leftOut: 3 },
  { title: 'events', shrinksTo: 12, leftOut: 2 },
  { title: 'description', shrinksTo: 12, leftOut: 1 },
  // Without its end, a URL is still recognised.
  { title: 'url', shrinksTo: 16 },
];

/** Adds `kinora webhooks`, which manages where the service sends the events of the project. */
export function addWebhooks(program: Command, context: () => Context): void {
  const webhooks = program.command('webhooks').description('manage where the service sends the events of the project');
  webhooks
    .command('list')
    .description('list the endpoints')
    .action(async () => {
      const current = context();
      await printList(current, (await current.kinora()).webhookEndpoints.list(), { render: renderEndpoints });
    });
  webhooks
    .command('create')
    .description('create an endpoint; its secret is shown once')
    .argument('<URL>', 'a public https URL')
    .option('--events <list>', 'which events, separated by commas (default: all)')
    .option('--description <text>', 'what it is for')
    .addHelpText(
      'after',
      helpExamples('kinora webhooks create https://example.com/hook --events video.completed,video.failed'),
    )
    .action(async (url: string, options: EndpointOptions) => {
      const current = context();
      const request = { url, ...changesOf(options) } as CreateWebhookEndpoint; // the service names the events it knows
      const issued = await (await current.kinora()).webhookEndpoints.create(request);
      showSecret(current, issued);
      current.remark(`This is the only time that the secret of ${issued.id} is shown.`);
    });
  webhooks
    .command('update')
    .description('change an endpoint, disable it or enable it again')
    .argument('<endpoint>', 'its id, whk_…')
    .option('--url <URL>', 'where events are sent')
    .option('--events <list>', 'which events, separated by commas; "all" for all')
    .option('--description <text>', 'what it is for')
    .addOption(new Option('--status <status>', 'whether events are sent').choices(['enabled', 'disabled']))
    .addHelpText('after', helpExamples('kinora webhooks update whk_01k9zqv3x4e8rb6t7y2m5n0p1q --status disabled'))
    .action(async (endpointId: string, options: EndpointOptions) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0)
        throw new UsageError('Nothing to change. See kinora webhooks update --help.');
      const { kinora, print } = context();
      const endpoint = await (await kinora()).webhookEndpoints.update(endpointId, changes);
      print(`${endpoint.id} is ${endpoint.status}.`, endpoint);
    });
  webhooks
    .command('delete')
    .description('delete endpoints; nothing more is sent there')
    .argument('<endpoint...>', 'their ids, whk_…')
    .action(async (endpointIds: string[]) => {
      const current = context();
      const { webhookEndpoints } = await current.kinora();
      await forEachId(current, endpointIds, async (id) => {
        current.print(`${id} is deleted.`, await webhookEndpoints.delete(id));
      });
    });
  webhooks
    .command('rotate-secret')
    .description('replace the secret of an endpoint; both sign until the overlap ends')
    .argument('<endpoint>', 'its id, whk_…')
    .addOption(overlapOption())
    .action(async (endpointId: string, { overlapHours }: { overlapHours: number }) => {
      const current = context();
      const request = { overlap_seconds: 3600 * overlapHours };
      showSecret(current, await (await current.kinora()).webhookEndpoints.rotateSecret(endpointId, request));
      current.remark(`The old secret signs for another ${overlapHours} h.`);
    });
  webhooks
    .command('callback-secret')
    .description('print the secret that signs what is sent to --callback-url')
    .option('--rotate', 'replace it; both sign until the overlap ends')
    .addOption(overlapOption())
    .action(async ({ rotate, overlapHours }: { rotate?: true; overlapHours: number }) => {
      const current = context();
      const { callbackSecret } = (await current.kinora()).webhookEndpoints;
      const request = { overlap_seconds: 3600 * overlapHours };
      showSecret(current, await (rotate ? callbackSecret.rotate(request) : callbackSecret.get()));
    });
  addWebhookDeliveries(webhooks, context);
}

function overlapOption(): Option {
  return new Option('--overlap-hours <hours>', 'how long the old secret also signs, 0 to 168')
    .argParser(wholeNumber('--overlap-hours', 0, 168))
    .default(24);
}

function changesOf({ events, ...options }: EndpointOptions): ChangeWebhookEndpoint {
  const names = events === 'all' ? [] : events?.split(',').map((name) => name.trim());
  return { ...options, ...(names && { events: names }) } as ChangeWebhookEndpoint; // the service names the events it knows
}

/** Prints only the secret to stdout, so that it can be piped into a secret store. */
function showSecret({ print }: Context, issued: { secret: string }): void {
  print(issued.secret, issued);
}

/** Renders one row per endpoint. */
export function renderEndpoints(
  endpoints: readonly WebhookEndpoint[],
  columns?: number,
  now: number = Date.now(),
): string {
  if (endpoints.length === 0) return 'No webhook endpoints.';
  const rows = endpoints.map((endpoint) => [
    endpoint.id,
    statusOf(endpoint),
    ago(endpoint.created_at, now),
    endpoint.events.length === 0 ? 'all' : endpoint.events.join(' '),
    endpoint.description || '–',
    endpoint.url,
  ]);
  return renderTable(head, rows, columns);
}

function statusOf({ status, disabled_reason: reason, failing_since: since }: WebhookEndpoint): string {
  if (status === 'disabled') return reason === null || reason === 'by_caller' ? status : `${status}: ${reason}`;
  return since === null ? status : 'failing';
}
