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
import { deadPlace, type Observations } from './observations.ts';
import { createWebhookClient, type WebhookClient } from './webhook-client.ts';
import { type WebhooksSize, webhooksSizes } from './webhooks-size.ts';

export const proof: Proof = {
  name: 'webhooks',
  promise:
    'Every event is delivered or visibly dead, with one id and valid signatures; a dead endpoint slows no other endpoint.',
  covers: serverPaths(`activities/deliver-activities.ts api/routes/webhook- db/callback-secrets.ts db/events.ts
      db/migrations/ db/outbox.ts db/webhook- operations/events/ operations/webhooks/ outbound/ relay/
      webhooks/ wiring/wire-api-webhooks.ts wiring/wire-webhooks.ts workflows/deliver-webhook.ts`),
  minutes: 4,
  run: (size, report) => withProofStack('webhooks', report, (stack) => run(stack, webhooksSizes[size], report)),
};

const flakyPlaces = ['flaky-1', 'flaky-2', 'flaky-3', 'flaky-4'];
const steadyPlace = 'steady-1';
const concurrency = 12;
/** How many tries one worker has in flight at one receiver. */
const triesInFlight = 20;
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
  const register = async (place: string, events: string[]): Promise<string> => {
    const { id, secret } = await client.newEndpoint(receiver.url(place), events);
    endpoints.set(id, place);
    receiver.secrets.set(place, secret);
    return id;
  };
  // The first flaky endpoint gets the events of all tasks; the others get only test events.
  const steady = await register(steadyPlace, ['video.failed']);
  const flaky = await Promise.all(
    flakyPlaces.map((place, index) => register(place, [index === 0 ? 'video.cancelled' : 'video.failed'])),
  );
  receiver.secrets.set('callback', await client.callbackSecret());

  // The first events are not counted: they pay for connections, query plans and compiled code.
  await time(client, receiver, steady, { timed: 10, timedPerSecond: 10 });
  const half = { ...size, timed: size.timed / 2 };
  report(`timing ${half.timed} events without a dead endpoint`);
  const latencyBefore = await time(client, receiver, steady, half);

  const dead = await register(deadPlace, ['video.failed']);
  // Spread over the duration of a try, as real events are; sent at once they would all hang and retry in step.
  for (let count = 0; count < size.dead; count += 1) {
    await client.sendTest(dead);
    await pause((size.trySeconds * 1000) / triesInFlight);
  }
  await untilHanging(receiver, Math.min(size.dead, triesInFlight));
  report(`timing ${size.timed} events while ${size.dead} are pending at a dead endpoint`);
  const latencyWithDead = await time(client, receiver, steady, size);

  report(`${size.tasks} cancelled tasks and ${size.tests} test events to receivers that fail three of ten requests`);
  const events = size.tasks + size.tests;
  // Evenly mixed, so that both kinds are in flight all the time.
  const isTask = (index: number) =>
    Math.floor(((index + 1) * size.tasks) / events) > Math.floor((index * size.tasks) / events);
  await forEachConcurrently(concurrency, [...Array(events).keys()], async (index) => {
    await (isTask(index)
      ? client.cancelledTask(index, index % 16 < 4 ? receiver.url('callback') : null)
      : client.sendTest(flaky[index % flaky.length] ?? ''));
  });
  const placeOf = (endpointId: string | null): string => endpoints.get(endpointId ?? '') ?? 'callback';
  await comeToRest(client, size, report, receiver);
  const delivered = (await client.deliveries(placeOf)).filter(({ status }) => status === 'delivered');
  report(`redelivering ${size.redeliveries} of them`);
  await forEachConcurrently(concurrency, [...Array(size.redeliveries).keys()], async (index) => {
    await client.redeliver(delivered[(index * 7) % delivered.length]?.id ?? '');
  });
  await comeToRest(client, size, report, receiver);
  const { status, disabled_reason: disabledReason } = await client.readEndpoint(dead);
  report(`timing ${half.timed} events after the dead endpoint was disabled`);
  const latencyAfter = await time(client, receiver, steady, half);
  await comeToRest(client, size, report, receiver);
  return {
    received: receiver.received,
    deliveries: await client.deliveries(placeOf),
    redirectsFollowed: receiver.redirectsFollowed,
    deadEndpoint: { status, disabledReason },
    latencyWithoutDead: [...latencyBefore, ...latencyAfter],
    latencyWithDead,
  };
}

/** Measures milliseconds from sending each event to its arrival, at a pace that leaves the machine idle in between. */
async function time(
  client: WebhookClient,
  { received }: Receiver,
  endpointId: string,
  { timed, timedPerSecond }: Pick<WebhooksSize, 'timed' | 'timedPerSecond'>,
): Promise<number[]> {
  const accepted = new Map<string, number>();
  const from = received.length;
  const sends: Promise<void>[] = [];
  for (let count = 0; count < timed; count += 1) {
    const sentAt = performance.now();
    sends.push(client.sendTest(endpointId).then((eventId) => void accepted.set(eventId, sentAt)));
    await pause(1000 / timedPerSecond);
  }
  await Promise.all(sends);
  const arrivals = (): number[] =>
    received.slice(from).flatMap(({ webhookId, at, outcome }) => {
      const sentAt = outcome === 'ok' ? accepted.get(webhookId) : undefined;
      return sentAt === undefined ? [] : [at - sentAt];
    });
  await becomesTrueWithin(patienceMilliseconds, () => arrivals().length >= timed);
  // A missing event has taken at least this long.
  const missing = timed - arrivals().length;
  return [...arrivals(), ...Array.from({ length: missing }, () => patienceMilliseconds)];
}

/** Waits until `count` requests have reached the dead endpoint, where they hang. */
async function untilHanging({ received }: Receiver, count: number): Promise<void> {
  const hanging = (): number => received.filter(({ place }) => place === deadPlace).length;
  await becomesTrueWithin(patienceMilliseconds, () => hanging() >= count);
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
    p50WithoutDeadMilliseconds: Math.round(percentile(latencyWithoutDead, 50)),
    p95WithoutDeadMilliseconds: Math.round(percentile(latencyWithoutDead, 95)),
    p99WithoutDeadMilliseconds: Math.round(percentile(latencyWithoutDead, 99)),
    p50WithDeadMilliseconds: Math.round(percentile(latencyWithDead, 50)),
    p95WithDeadMilliseconds: Math.round(percentile(latencyWithDead, 95)),
    p99WithDeadMilliseconds: Math.round(percentile(latencyWithDead, 99)),
  };
}
