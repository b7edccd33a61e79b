import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { startInstallation } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { serverPaths } from '../server-paths.ts';
import { checkDeliveries, failedShare } from './check-deliveries.ts';
import { type Receiver, startReceiver } from './failing-receiver.ts';
import { isDeadPlace, type Observations } from './observations.ts';
import { createWebhookClient, type WebhookClient } from './webhook-client.ts';
import { type WebhooksSize, webhooksSizes } from './webhooks-size.ts';

export const proof: Proof = {
  name: 'webhooks',
  promise:
    'Every event is delivered or visibly dead, with one id and valid signatures; a dead endpoint slows no other endpoint.',
  covers: serverPaths(`activities/deliver- api/routes/webhook- db/callback-secrets.ts db/events.ts
      db/migrations/ db/outbox.ts db/webhook- operations/events/ operations/webhooks/ outbound/ relay/
      webhooks/ wiring/wire-api-webhooks.ts wiring/wire-webhooks.ts workflows/deliver-webhook.ts`),
  minutes: 5,
  run: (size, report) => withProofStack('webhooks', report, (stack) => run(stack, webhooksSizes[size], report)),
};

const flakyPlaces = ['flaky-1', 'flaky-2', 'flaky-3', 'flaky-4'];
const steadyPlace = 'steady-1';
const concurrency = 12;
/** How many tries one worker has in flight at one receiver. */
const triesInFlight = 20;
/** A machine that is busy for a while slows the events of one round; a dead endpoint would slow those of every round. */
const rounds = 3;
/** How long to wait for the last of the timed events. */
const patienceMilliseconds = 30_000;

async function run(stack: Stack, size: WebhooksSize, report: (line: string) => void): Promise<ProofOutcome> {
  const port = await findFreePorts(1);
  const receiver = await startReceiver(port, size.mostFailures);
  const installation = await startInstallation({
    stack,
    // No task runs: each costs only a create and a cancel.
    limits: { running: 0, waiting: 100_000, creates: 6_000, reads: 1_000_000 },
    loopbackPorts: [port],
    environment: {
      KINORA_WEBHOOK_SCHEDULE_SECONDS: size.scheduleSeconds.join(','),
      KINORA_WEBHOOK_TRY_SECONDS: String(size.trySeconds),
    },
    onProgress: report,
  });
  try {
    const evidence = await observe(createWebhookClient(installation), receiver, size, report);
    return { figures: figuresOf(evidence), failures: checkDeliveries(evidence, size.thresholds) };
  } finally {
    await installation.close();
    await receiver.close();
  }
}

async function observe(
  client: WebhookClient,
  receiver: Receiver,
  size: WebhooksSize,
  report: (line: string) => void,
): Promise<Observations> {
  const endpoints = new Map<string, string>();
  const register = async (place: string): Promise<string> => {
    const { id, secret } = await client.newEndpoint(receiver.url(place));
    endpoints.set(id, place);
    receiver.secrets.set(place, secret);
    return id;
  };
  /** Only one endpoint at a time is subscribed, so that each event goes to one endpoint. */
  const whileSubscribed = async <T>(endpointId: string, work: () => Promise<T>): Promise<T> => {
    await client.subscribe(endpointId, true);
    const result = await work();
    await client.subscribe(endpointId, false);
    return result;
  };
  let lastDead = '';
  const steady = await register(steadyPlace);
  const flaky = await Promise.all(flakyPlaces.map(register));
  receiver.secrets.set('callback', await client.callbackSecret());

  // The first events are not counted: they pay for connections, query plans and compiled code.
  const timeSteady = (timed: number): Promise<number[]> =>
    whileSubscribed(steady, () => time(client, receiver, { ...size, timed }));
  await timeSteady(10);
  const latencyWithoutDead: number[][] = [];
  const latencyWithDead: number[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    report(`round ${round}: timing ${size.timed} events without a dead endpoint`);
    latencyWithoutDead.push(await timeSteady(size.timed));
    const dead = await register(`dead-${round}`);
    // Spread over the duration of a try, as real events are; sent at once they would all hang and retry in step.
    const hangingBefore = hangingAt(receiver);
    await whileSubscribed(dead, async () => {
      for (let count = 0; count < size.dead; count += 1) {
        await client.cancelledTask(count, null);
        await pause((size.trySeconds * 1000) / size.dead);
      }
    });
    const hanging = hangingBefore + Math.min(size.dead, triesInFlight);
    await becomesTrueWithin(patienceMilliseconds, () => hangingAt(receiver) >= hanging);
    report(`round ${round}: timing ${size.timed} events while ${size.dead} are pending at a dead endpoint`);
    latencyWithDead.push(await timeSteady(size.timed));
    // The dead endpoint of the last round stays until it is disabled.
    if (round < rounds) await client.deleteEndpoint(dead);
    else lastDead = dead;
  }

  report(`${size.tasks} cancelled tasks, sent to receivers that fail three of ten requests`);
  for (const endpointId of flaky) {
    await whileSubscribed(endpointId, () =>
      forEachConcurrently(concurrency, [...Array(size.tasks / flaky.length).keys()], async (index) => {
        await client.cancelledTask(index, index % 4 === 0 ? receiver.url('callback') : null);
      }),
    );
  }
  const placeOf = (endpointId: string | null): string => endpoints.get(endpointId ?? '') ?? 'callback';
  await comeToRest(client, size, report, receiver);
  const delivered = (await client.deliveries(placeOf)).filter(({ status }) => status === 'delivered');
  report(`redelivering ${size.redeliveries} of them`);
  await forEachConcurrently(concurrency, [...Array(size.redeliveries).keys()], async (index) => {
    await client.redeliver(delivered[(index * 7) % delivered.length]?.id ?? '');
  });
  await comeToRest(client, size, report, receiver);
  const { status, disabled_reason: disabledReason } = await client.readEndpoint(lastDead);
  return {
    received: receiver.received,
    deliveries: await client.deliveries(placeOf),
    redirectsFollowed: receiver.redirectsFollowed,
    deadEndpoint: { status, disabledReason },
    latencyWithoutDead,
    latencyWithDead,
  };
}

/** Measures milliseconds from the cancel that causes each event to its arrival, at a pace that leaves the machine idle in between. */
async function time(
  client: WebhookClient,
  { received }: Receiver,
  { timed, timedPerSecond }: Pick<WebhooksSize, 'timed' | 'timedPerSecond'>,
): Promise<number[]> {
  const sentAtOfTask = new Map<string, number>();
  const from = received.length;
  const sends: Promise<void>[] = [];
  for (let count = 0; count < timed; count += 1) {
    sends.push(client.cancelledTask(count, null).then(({ taskId, at }) => void sentAtOfTask.set(taskId, at)));
    await pause(1000 / timedPerSecond);
  }
  await Promise.all(sends);
  const arrivals = (): number[] =>
    received.slice(from).flatMap(({ taskId, at, outcome }) => {
      const sentAt = outcome === 'ok' ? sentAtOfTask.get(taskId) : undefined;
      return sentAt === undefined ? [] : [at - sentAt];
    });
  await becomesTrueWithin(patienceMilliseconds, () => arrivals().length >= timed);
  // A missing event has taken at least this long.
  const missing = timed - arrivals().length;
  return [...arrivals(), ...Array.from({ length: missing }, () => patienceMilliseconds)];
}

/** Returns how many requests have reached a dead endpoint, where they hang. */
function hangingAt({ received }: Receiver): number {
  return received.filter(({ place }) => isDeadPlace(place)).length;
}

async function comeToRest(
  client: WebhookClient,
  { patienceSeconds }: WebhooksSize,
  report: (line: string) => void,
  { received }: Receiver,
): Promise<void> {
  let polls = 0;
  const isAtRest = async (): Promise<boolean> => {
    if (polls++ % 20 === 0) report(`${received.length} requests received; waiting until no delivery is pending`);
    return !(await client.hasPending());
  };
  // The checker objects to deliveries that are still pending then.
  await becomesTrueWithin(patienceSeconds * 1000, isAtRest, { everyMilliseconds: 250 });
}

function figuresOf(evidence: Observations): ProofOutcome['figures'] {
  const { received, deliveries, latencyWithoutDead, latencyWithDead } = evidence;
  const countOf = (status: string): number => deliveries.filter((delivery) => delivery.status === status).length;
  return {
    events: new Set(deliveries.map(({ eventId }) => eventId)).size,
    deliveries: deliveries.length,
    delivered: countOf('delivered'),
    dead: countOf('dead'),
    pending: countOf('pending'),
    requests: received.length,
    failedPercent: Math.round(failedShare(received) * 1000) / 10,
    mostTries: Math.max(...deliveries.map(({ tryCount }) => tryCount)),
    p50WithoutDeadMilliseconds: Math.round(percentile(latencyWithoutDead.flat(), 50)),
    p95WithoutDeadMilliseconds: latencyWithoutDead.map((round) => Math.round(percentile(round, 95))).join(' '),
    p50WithDeadMilliseconds: Math.round(percentile(latencyWithDead.flat(), 50)),
    p95WithDeadMilliseconds: latencyWithDead.map((round) => Math.round(percentile(round, 95))).join(' '),
    slowestWithDeadMilliseconds: Math.round(Math.max(...latencyWithDead.flat())),
  };
}
