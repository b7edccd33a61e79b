import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { closing } from '@kinora/stack/harness/closing';
import { becomesTrueWithin, eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { startInstallation } from '@kinora/stack/harness/installation';
import { pause } from '@kinora/stack/harness/pause';
import { percentile } from '@kinora/stack/harness/percentile';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOptions, ProofOutcome } from '../proof.ts';
import { checkDeliveries, checkLatencies, countSentTwice, failedShare, isProving } from './check-deliveries.ts';
import { type Receiver, startReceiver } from './failing-receiver.ts';
import { type BesideDead, isDeadPlace, type Latencies, type Observations } from './observations.ts';
import { createWebhookClient, type WebhookClient } from './webhook-client.ts';
import { type WebhooksSize, webhooksSizes } from './webhooks-size.ts';

export const proof: Proof = {
  name: 'webhooks',
  promise:
    'Every event is delivered or visibly dead, with one id and valid signatures; a dead endpoint slows no other endpoint.',
  minutes: 5,
  inGate: 'shared',
  run,
};

const flakyPlaces = ['flaky-1', 'flaky-2', 'flaky-3', 'flaky-4'];
const steadyPlace = 'steady-1';
const concurrency = 12;
/** How many tries one worker has in flight at one receiver. */
const triesInFlight = 20;
/** A machine that is busy for a while slows the events of one round; a dead endpoint would slow those of every round. */
const rounds = 3;

async function run(stack: Stack, { size: proofSize, tier, report }: ProofOptions): Promise<ProofOutcome> {
  const size = webhooksSizes[tier === 'gate' ? 'gate' : proofSize];
  const port = await findFreePorts(1);
  await using receiver = closing(await startReceiver(port, size.mostFailures));
  await using installation = await startInstallation({
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
  const parts = await prepare(createWebhookClient(installation), receiver, size, report);
  const latencies = tier === 'night' ? await measureLatencies(parts) : null;
  const evidence = await observe(parts);
  return {
    figures: { ...figuresOf(evidence), ...(latencies ? latencyFigures(latencies) : {}) },
    failures: [
      ...checkDeliveries(evidence, size.thresholds),
      ...(latencies ? checkLatencies(latencies, size.thresholds) : []),
      ...(await findSelfRepairs(stack, installation)),
    ],
  };
}

interface Parts {
  client: WebhookClient;
  receiver: Receiver;
  size: WebhooksSize;
  /** Places by the ids of their endpoints. */
  places: Map<string, string>;
  steady: string;
  report: (line: string) => void;
}

async function prepare(
  client: WebhookClient,
  receiver: Receiver,
  size: WebhooksSize,
  report: (line: string) => void,
): Promise<Parts> {
  const places = new Map<string, string>();
  const steady = await register({ client, receiver, places }, steadyPlace);
  receiver.secrets.set('callback', await client.callbackSecret());
  return { client, receiver, size, places, steady, report };
}

async function register(
  { client, receiver, places }: Pick<Parts, 'client' | 'receiver' | 'places'>,
  place: string,
): Promise<string> {
  const { id, secret } = await client.newEndpoint(receiver.url(place));
  places.set(id, place);
  receiver.secrets.set(place, secret);
  return id;
}

/** Only one endpoint at a time is subscribed, so that each event goes to one endpoint. */
async function whileSubscribed<T>({ client }: Parts, endpointId: string, work: () => Promise<T>): Promise<T> {
  await client.subscribe(endpointId, true);
  const result = await work();
  await client.subscribe(endpointId, false);
  return result;
}

/** Measures how long events take to a receiver that works, in each round without and with a dead endpoint. */
async function measureLatencies(parts: Parts): Promise<Latencies> {
  const { client, receiver, size, steady, report } = parts;
  const timeSteady = (timed: number): Promise<number[]> =>
    whileSubscribed(parts, steady, () => time(client, receiver, { ...size, timed }));
  // The first events are not counted: they pay for connections, query plans and compiled code.
  await timeSteady(10);
  const latencies: Latencies = { withoutDead: [], withDead: [] };
  for (let round = 1; round <= rounds; round += 1) {
    report(`round ${round}: timing ${size.timed} events without a dead endpoint`);
    latencies.withoutDead.push(await timeSteady(size.timed));
    const dead = await register(parts, `dead-timed-${round}`);
    // Spread over the duration of a try, as real events are; sent at once they would all hang and retry in step.
    const hangingBefore = triesAtDead(receiver);
    await whileSubscribed(parts, dead, async () => {
      for (let count = 0; count < size.dead; count += 1) {
        await client.cancelledTask(count, null);
        await pause((size.trySeconds * 1000) / size.dead);
      }
    });
    const tries = hangingBefore + Math.min(size.dead, triesInFlight);
    await eventually('tries at the dead endpoint', () => triesAtDead(receiver) >= tries);
    report(`round ${round}: timing ${size.timed} events while ${size.dead} are pending at a dead endpoint`);
    latencies.withDead.push(await timeSteady(size.timed));
    await client.deleteEndpoint(dead);
  }
  return latencies;
}

async function observe(parts: Parts): Promise<Observations> {
  const { client, receiver, size, places, report } = parts;
  const { dead, besideDead } = await sendBesideDead(parts);
  receiver.release();
  const flaky = await Promise.all(flakyPlaces.map((place) => register(parts, place)));
  report(`${size.tasks} cancelled tasks, sent to receivers that fail three of ten requests`);
  for (const endpointId of flaky) {
    await whileSubscribed(parts, endpointId, () =>
      forEachConcurrently(concurrency, [...Array(size.tasks / flaky.length).keys()], async (index) => {
        await client.cancelledTask(index, index % 4 === 0 ? receiver.url('callback') : null);
      }),
    );
  }
  const placeOf = (endpointId: string | null): string => places.get(endpointId ?? '') ?? 'callback';
  await comeToRest(parts);
  const delivered = (await client.deliveries(placeOf)).filter(({ status }) => status === 'delivered');
  report(`redelivering ${size.redeliveries} of them`);
  await forEachConcurrently(concurrency, [...Array(size.redeliveries).keys()], async (index) => {
    await client.redeliver(delivered[(index * 7) % delivered.length]?.id ?? '');
  });
  await comeToRest(parts);
  const { status, disabled_reason: disabledReason } = await client.readEndpoint(dead);
  return {
    received: receiver.received,
    deliveries: await client.deliveries(placeOf),
    redirectsFollowed: receiver.redirectsFollowed,
    deadEndpoint: { status, disabledReason },
    besideDead,
  };
}

/**
 * Sends events to the steady endpoint, one after the other, while tries hang at a dead one, until enough of them have
 * arrived before any of those tries ended, or none does any more. A dead endpoint is disabled after a while; then another
 * one takes its place. Returns the last one too.
 */
async function sendBesideDead(parts: Parts): Promise<{ dead: string; besideDead: BesideDead[] }> {
  const { client, receiver, size, steady, report } = parts;
  const needed = size.thresholds.besideDead;
  const besideDead: BesideDead[] = [];
  const isEnough = (): boolean => besideDead.filter(isProving).length >= needed;
  let lastProofAt = Date.now();
  for (let number = 1; ; number += 1) {
    const dead = await register(parts, `dead-${number}`);
    await whileSubscribed(parts, dead, () =>
      forEachConcurrently(concurrency, [...Array(size.dead).keys()], async (index) => {
        await client.cancelledTask(index, null);
      }),
    );
    await eventually('hanging tries', () => receiver.hanging.size > 0);
    report(`${size.dead} events are pending at a dead endpoint; ${needed} others must not wait for it`);
    await whileSubscribed(parts, steady, async () => {
      while (receiver.hanging.size > 0 && !isEnough()) {
        const event = await sendSteady(parts, besideDead.length);
        besideDead.push(event);
        if (isProving(event)) lastProofAt = Date.now();
      }
    });
    const isHanging = Date.now() - lastProofAt > hangLimitMilliseconds;
    if (isEnough() || isHanging || !besideDead.every(({ hasArrived }) => hasArrived)) return { dead, besideDead };
    await client.deleteEndpoint(dead); // A project may have only so many.
  }
}

async function sendSteady({ client, receiver }: Parts, number: number): Promise<BesideDead> {
  const taskId = await client.newTask(number, null);
  const before = [...receiver.hanging];
  await client.cancel(taskId);
  const hasArrived = await becomesTrueWithin(
    hangLimitMilliseconds,
    () => receiver.received.some((one) => one.taskId === taskId),
    { everyMilliseconds: 10 },
  );
  const ended = before.filter((hanging) => !receiver.hanging.has(hanging)).length;
  return { hanging: before.length, ended, hasArrived };
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
  await eventually('the arrival of all timed events', () => arrivals().length >= timed);
  return arrivals();
}

/** Returns how many requests have reached a dead endpoint, where they hang. */
function triesAtDead({ received }: Receiver): number {
  return received.filter(({ place }) => isDeadPlace(place)).length;
}

/** Waits until no delivery is pending, or until nothing more arrives; the checker objects to pending deliveries. */
async function comeToRest({ client, receiver: { received }, report }: Parts): Promise<void> {
  const isAtRest = async (): Promise<boolean> => !(await client.hasPending());
  for (let before = -1; received.length > before; ) {
    before = received.length;
    report(`${before} requests received; waiting until no delivery is pending`);
    if (await becomesTrueWithin(hangLimitMilliseconds, isAtRest, { everyMilliseconds: 250 })) return;
  }
}

function figuresOf({ received, deliveries, besideDead }: Observations): ProofOutcome['figures'] {
  const countOf = (status: string): number => deliveries.filter((delivery) => delivery.status === status).length;
  return {
    events: new Set(deliveries.map(({ eventId }) => eventId)).size,
    deliveries: deliveries.length,
    delivered: countOf('delivered'),
    dead: countOf('dead'),
    pending: countOf('pending'),
    requests: received.length,
    failedPercent: Math.round(failedShare(received) * 1000) / 10,
    sentTwice: countSentTwice({ received, deliveries }),
    mostTries: Math.max(...deliveries.map(({ tryCount }) => tryCount)),
    sentBesideDead: besideDead.length,
    arrivedBeforeATryEnded: besideDead.filter(isProving).length,
  };
}

function latencyFigures({ withoutDead, withDead }: Latencies): ProofOutcome['figures'] {
  return {
    p50WithoutDeadMilliseconds: Math.round(percentile(withoutDead.flat(), 50)),
    p95WithoutDeadMilliseconds: withoutDead.map((round) => Math.round(percentile(round, 95))).join(' '),
    p50WithDeadMilliseconds: Math.round(percentile(withDead.flat(), 50)),
    p95WithDeadMilliseconds: withDead.map((round) => Math.round(percentile(round, 95))).join(' '),
    slowestWithDeadMilliseconds: Math.round(Math.max(...withDead.flat())),
  };
}
