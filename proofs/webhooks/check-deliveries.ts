import { percentile } from '@kinora/stack/harness/percentile';
import {
  type BesideDead,
  isDeadPlace,
  type Latencies,
  type Observations,
  type Received,
  type Thresholds,
} from './observations.ts';

/** With the dead endpoint an event may take this much longer at p95 than without, because the machine is busier too. */
const slowdownFactor = 1.5;
const slowdownMilliseconds = 500;

/** Returns one objection for each thing that broke the promise. It judges events, order and counts, but no times. */
export function checkDeliveries(evidence: Observations, thresholds: Thresholds): string[] {
  return [
    ...checkAmount(evidence, thresholds),
    ...checkEnds(evidence),
    ...checkReceived(evidence, thresholds),
    ...checkDead(evidence),
    ...checkBesideDead(evidence, thresholds),
  ];
}

function checkAmount({ received, deliveries }: Observations, least: Thresholds) {
  const failures: string[] = [];
  const insist = (what: string, count: number, needed: number): void => {
    if (count < needed) failures.push(`too little was done: ${count} ${what}; ${needed} are required`);
  };
  const flaky = deliveries.filter(({ place }) => isFlaky(place));
  insist('events', new Set(flaky.map(({ eventId }) => eventId)).size, least.events);
  insist('deliveries to the dead endpoint', deliveries.filter(isDead).length, least.deadDeliveries);
  const failed = received.filter((one) => !isDead(one) && one.outcome !== 'ok');
  const modes = new Set(failed.map(({ outcome }) => outcome));
  insist('failure modes', modes.size, least.failureModes);
  const share = failedShare(received);
  const [fewest, most] = least.failedShare;
  if (share < fewest || share > most) failures.push(`the receiver failed ${Math.round(share * 100)} % of its requests`);
  return failures;
}

function checkEnds({ deliveries }: Observations): string[] {
  const failures: string[] = [];
  for (const delivery of deliveries) {
    const { id, place, status, deadReason, tryCount, tries } = delivery;
    if (status === 'pending') failures.push(`${id} to ${place} is neither delivered nor dead after ${tryCount} tries`);
    if (status === 'dead' && deadReason === null) failures.push(`${id} to ${place} is dead without a reason`);
    if (status === 'dead' && !isDead(delivery)) {
      failures.push(`${id} to ${place} is dead (${deadReason}) although its receiver works most of the time`);
    }
    if (status === 'delivered' && isDead(delivery)) failures.push(`${id} was delivered to the dead endpoint`);
    const expected = Array.from({ length: tryCount }, (_, index) => index + 1);
    if (tries !== null && tries.join() !== expected.join()) {
      failures.push(`the log of ${id} has the tries ${tries.join()}, not 1 to ${tryCount}`);
    }
  }
  return failures;
}

function checkReceived(evidence: Observations, { mostSentTwiceShare }: Thresholds): string[] {
  const { received, deliveries, redirectsFollowed } = evidence;
  const failures: string[] = [];
  const { delivered, accepted } = countByWebhook(evidence);
  const known = new Set(deliveries.map(({ place, eventId }) => nameOf(place, eventId)));
  for (const [name, count] of delivered) {
    const arrived = accepted.get(name) ?? 0;
    if (arrived < count)
      failures.push(`${name} is reported as delivered ${count} times, but was accepted ${arrived} times`);
  }
  const twice = countSentTwice(evidence);
  if (twice > received.length * mostSentTwiceShare)
    failures.push(`${twice} webhooks were sent again after they were accepted`);
  // If the id changed from try to try, the receiver would have got ids that no delivery has.
  const strangers = received.filter(({ place, webhookId }) => !known.has(nameOf(place, webhookId)));
  if (strangers.length > 0)
    failures.push(`${strangers.length} requests had a webhook-id of no event for that receiver`);
  const mismatched = received.filter(({ webhookId, bodyId }) => webhookId !== bodyId);
  if (mismatched.length > 0) failures.push(`${mismatched.length} bodies name another event than their webhook-id`);
  const refused = (by: string, isAccepted: (one: Received) => boolean): void => {
    const count = received.filter((one) => !isAccepted(one)).length;
    if (count > 0) failures.push(`${count} signatures were refused by ${by}`);
  };
  refused('standardwebhooks', (one) => one.isAcceptedByPackage);
  refused('the verifier written from the specification', (one) => one.isAcceptedBySpecification);
  if (redirectsFollowed > 0) failures.push(`${redirectsFollowed} redirects were followed`);
  return failures;
}

function checkDead({ deadEndpoint, deliveries }: Observations): string[] {
  const failures: string[] = [];
  if (deadEndpoint.status !== 'disabled' || deadEndpoint.disabledReason !== 'failing') {
    failures.push(
      `the dead endpoint is ${deadEndpoint.status} (${deadEndpoint.disabledReason}), not disabled as failing`,
    );
  }
  if (!deliveries.some((delivery) => isDead(delivery) && delivery.deadReason === 'tries_used_up')) {
    failures.push('no delivery to the dead endpoint used up its tries');
  }
  return failures;
}

/**
 * An event that waits for a try at the dead endpoint arrives after that try has ended. A try may end by chance while an
 * event is on its way, so such an event proves nothing, and another one is sent.
 */
function checkBesideDead({ besideDead }: Observations, { besideDead: needed }: Thresholds): string[] {
  const missing = besideDead.filter(({ hasArrived }) => !hasArrived).length;
  const proving = besideDead.filter(isProving).length;
  return [
    ...(missing > 0 ? [`${missing} events never arrived while tries hung at the dead endpoint`] : []),
    ...(proving < needed
      ? [
          `only ${proving} of ${besideDead.length} events arrived before a try at the dead endpoint ended; ${needed} are required`,
        ]
      : []),
  ];
}

/** Whether an event arrived although tries hung at the dead endpoint all the time. */
export function isProving({ hanging, ended, hasArrived }: BesideDead): boolean {
  return hasArrived && hanging > 0 && ended === 0;
}

/** Judges what only a quiet machine can show: how much slower other endpoints are beside a dead one. */
export function checkLatencies({ withoutDead, withDead }: Latencies, least: Thresholds): string[] {
  const slowest = Math.max(...withDead.flat());
  const failures: string[] = [];
  const fewest = Math.min(withoutDead.flat().length, withDead.flat().length);
  if (fewest < least.latencies)
    failures.push(`too little was done: ${fewest} measured arrivals; ${least.latencies} are required`);
  const rounds = withoutDead.map((without, round) => ({
    without: Math.round(percentile(without, 95)),
    withDead: Math.round(percentile(withDead[round] ?? [], 95)),
  }));
  // Whatever else the machine does may slow one round. A dead endpoint that slows others slows them in every round.
  if (rounds.every(({ without, withDead }) => !(withDead <= without * slowdownFactor + slowdownMilliseconds))) {
    const figures = rounds.map(({ without, withDead }) => `${withDead} ms instead of ${without} ms`).join(', ');
    failures.push(`with a dead endpoint p95 was ${figures}, so it slowed other endpoints in every round`);
  }
  if (slowest >= least.longestSeconds * 1000) {
    failures.push(`an event took ${Math.round(slowest)} ms, so it waited for a try at the dead endpoint to end`);
  }
  return failures;
}

/** Returns the share of requests to flaky receivers that they failed. */
export function failedShare(received: readonly Received[]): number {
  const flaky = received.filter(({ place }) => isFlaky(place));
  return flaky.filter(({ outcome }) => outcome !== 'ok').length / Math.max(1, flaky.length);
}

/** Returns how many webhooks were sent again although they had been accepted. */
export function countSentTwice(evidence: Pick<Observations, 'received' | 'deliveries'>): number {
  const { delivered, accepted } = countByWebhook(evidence);
  return [...accepted].reduce((sum, [name, count]) => sum + Math.max(0, count - (delivered.get(name) ?? 0)), 0);
}

/** Returns how often each webhook was delivered, as the API says, and how often its receiver accepted it. */
function countByWebhook({ received, deliveries }: Pick<Observations, 'received' | 'deliveries'>) {
  return {
    delivered: countBy(
      deliveries.filter(({ status }) => status === 'delivered'),
      ({ place, eventId }) => nameOf(place, eventId),
    ),
    accepted: countBy(
      received.filter(({ outcome }) => outcome === 'ok'),
      ({ place, webhookId }) => nameOf(place, webhookId),
    ),
  };
}

function nameOf(place: string, eventId: string): string {
  return `${eventId} at ${place}`;
}

/** Returns whether the receiver at this place fails some requests. */
function isFlaky(place: string): boolean {
  return !isDeadPlace(place) && !place.startsWith('steady');
}

function isDead({ place }: { place: string }): boolean {
  return isDeadPlace(place);
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}
