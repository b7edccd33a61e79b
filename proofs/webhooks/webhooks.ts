import { withinPatience } from '@kinora/stack/harness/eventually';
import { inLanes } from '@kinora/stack/harness/in-lanes';
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
    'Every event is delivered or visibly dead, under one id and with valid signatures; a dead endpoint slows no other.',
  covers: serverPaths(`activities/deliver-activities.ts api/routes/webhook- db/callback-secrets.ts db/events.ts
      db/migrations/ db/outbox.ts db/webhook- operations/events/ operations/webhooks/ outbound/ relay/
      webhooks/ wiring/wire-api-webhooks.ts wiring/wire-webhooks.ts workflows/deliver-webhook.ts`),
  minutes: 4,
  run: (size, report) => withProofStack('webhooks', report, (stack) => run(stack, webhooksSizes[size], report)),
};

const flakyPlaces = ['flaky-1', 'flaky-2', 'flaky-3', 'flaky-4'];
const steadyPlace = 'steady-1';
const lanes = 12;
/** What one worker has in flight at one receiver. */
const triesInFlight = 20;
/** How long the last of the timed events is waited for. */
const patienceMilliseconds = 30_000;

async function run(stack: Stack, size: WebhooksSize, report: (line: string) => void): Promise<ProofOutcome> {
  const port = await findFreePorts(1);
  const receiver = await startReceiver(port, size.mostFailures);
  const installation = await startInstallation({
    stack,
    // Nothing runs: a task costs a create and a cancel.
    limits: { running: 0, waiting: 100_000, creates: 6_000, reads: 1_000_000 },
    loopbackPorts: [port],
    environment: {
      KINORA_WEBHOOK_SCHEDULE_SECONDS: size.scheduleSeconds.join(','),
      KINORA_WEBHOOK_TRY_SECONDS: String(size.trySeconds),
    },
    onProgress: report,
  });
  try {
    const seen = await observe(createWebhookClient(installation), receiver, size, report);
    return { figures: figuresOf(seen), failures: checkDeliveries(seen, size.thresholds) };
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
  const open = async (place: string, events: string[]): Promise<string> => {
    const { id, secret } = await client.newEndpoint(receiver.url(place), events);
    endpoints.set(id, place);
    receiver.secrets.set(place, secret);
    return id;
  };
  // The first gets the events of all tasks; the others only what is sent to them alone.
  const steady = await open(steadyPlace, ['video.failed']);
  const flaky = await Promise.all(
    flakyPlaces.map((place, index) => open(place, [index === 0 ? 'video.cancelled' : 'video.failed'])),
  );
  receiver.secrets.set('callback', await client.callbackSecret());

  // The first ones pay for what is paid once: connections, plans, compiled code.
  await time(client, receiver, steady, { timed: 10, timedPerSecond: 10 });
  const half = { ...size, timed: size.timed / 2 };
  report(`timing ${half.timed} events before there is a dead endpoint`);
  const latencyBefore = await time(client, receiver, steady, half);

  const dead = await open(deadPlace, ['video.failed']);
  // Spread over as long as a try lasts, as events are; all at once they would hang, end and come again in step.
  for (let count = 0; count < size.dead; count += 1) {
    await client.sendTest(dead);
    await pause((size.trySeconds * 1000) / triesInFlight);
  }
  await untilHanging(receiver, Math.min(size.dead, triesInFlight));
  report(`timing ${size.timed} events while a dead endpoint has ${size.dead} on their way`);
  const latencyWithDead = await time(client, receiver, steady, size);

  report(`${size.tasks} cancelled tasks and ${size.tests} test events to receivers that fail three times in ten`);
  const events = size.tasks + size.tests;
  // Evenly mixed, so that both kinds are under way all the time.
  const isTask = (index: number) =>
    Math.floor(((index + 1) * size.tasks) / events) > Math.floor((index * size.tasks) / events);
  await inLanes(lanes, [...Array(events).keys()], async (index) => {
    await (isTask(index)
      ? client.cancelledTask(index, index % 16 < 4 ? receiver.url('callback') : null)
      : client.sendTest(flaky[index % flaky.length] ?? ''));
  });
  const placeOf = (endpointId: string | null): string => endpoints.get(endpointId ?? '') ?? 'callback';
  await comeToRest(client, size, report, receiver);
  const delivered = (await client.deliveries(placeOf)).filter(({ status }) => status === 'delivered');
  report(`${size.redeliveries} of them once more`);
  await inLanes(lanes, [...Array(size.redeliveries).keys()], async (index) => {
    await client.redeliver(delivered[(index * 7) % delivered.length]?.id ?? '');
  });
  await comeToRest(client, size, report, receiver);
  const { status, disabled_reason: disabledReason } = await client.readEndpoint(dead);
  report(`timing ${half.timed} events after it was disabled`);
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

/** Milliseconds from each accepted event to its arrival, at a steady pace that leaves the machine idle in between. */
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
    const asked = performance.now();
    sends.push(client.sendTest(endpointId).then((eventId) => void accepted.set(eventId, asked)));
    await pause(1000 / timedPerSecond);
  }
  await Promise.all(sends);
  const arrivals = (): number[] =>
    received.slice(from).flatMap(({ webhookId, at, outcome }) => {
      const asked = outcome === 'ok' ? accepted.get(webhookId) : undefined;
      return asked === undefined ? [] : [at - asked];
    });
  await withinPatience(patienceMilliseconds, () => arrivals().length >= timed);
  // What has not come by now has taken at least so long.
  const missing = timed - arrivals().length;
  return [...arrivals(), ...Array.from({ length: missing }, () => patienceMilliseconds)];
}

/** Waits until so many connections hang at the dead endpoint, which is as many as it is given. */
async function untilHanging({ received }: Receiver, count: number): Promise<void> {
  const hanging = (): number => received.filter(({ place }) => place === deadPlace).length;
  await withinPatience(patienceMilliseconds, () => hanging() >= count);
}

async function comeToRest(
  client: WebhookClient,
  { patienceSeconds }: WebhooksSize,
  report: (line: string) => void,
  { received }: Receiver,
): Promise<void> {
  let looks = 0;
  const isAtRest = async (): Promise<boolean> => {
    if (looks++ % 20 === 0) report(`${received.length} requests received, waiting until nothing is on its way`);
    return !(await client.hasPending());
  };
  // What is still pending then is the checker's to object to.
  await withinPatience(patienceSeconds * 1000, isAtRest, { everyMilliseconds: 250 });
}

function figuresOf(seen: Observations): ProofOutcome['figures'] {
  const { received, deliveries, latencyWithoutDead, latencyWithDead } = seen;
  const standing = (status: string): number => deliveries.filter((delivery) => delivery.status === status).length;
  return {
    events: new Set(deliveries.map(({ eventId }) => eventId)).size,
    deliveries: deliveries.length,
    delivered: standing('delivered'),
    dead: standing('dead'),
    pending: standing('pending'),
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
