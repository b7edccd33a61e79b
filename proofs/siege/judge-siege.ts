import { percentile } from '@kinora/stack/harness/percentile';
import type { ProofOutcome } from '../proof.ts';
import {
  type AttackName,
  attackNames,
  type Deeds,
  isHolding,
  type SiegeEvidence,
  type SiegeWindow,
} from './siege-evidence.ts';
import type { SiegeSize } from './siege-size.ts';

type Planned = Pick<SiegeSize, 'rates' | 'rounds' | 'sieges' | 'tolerance' | 'claims'>;

const megabyte = 1_000_000;
const memoryLimitMegabytes = 600;
/** A quarter of a core, and what the kernel's accounting may be off by. */
const hostileCoresLimit = 0.27;

/** Which statuses show that an attack did what it claims, and which of them are refusals. */
const expectedStatuses: Record<AttackName, { accepted: number[]; refused: number[] }> = {
  downloads: { accepted: [200], refused: [429, 503] },
  streams: { accepted: [200], refused: [429, 503] },
  uploads: { accepted: [], refused: [0, 408, 429, 503] },
  'half-sent': { accepted: [], refused: [0, 408, 429, 503] },
  // 400: the image could not be fetched within 10 s.
  'failing-creates': { accepted: [400], refused: [429, 503] },
  replays: { accepted: [200], refused: [429] },
  'bad-keys': { accepted: [], refused: [401, 429] },
  'webhook-tests': { accepted: [200, 202], refused: [429] },
  queries: { accepted: [200], refused: [429, 503] },
  storage: { accepted: [200, 201], refused: [429, 503] },
};

/** Judges whether every attack did what it claims, and whether the honest tenant noticed. */
export function judgeSiege(evidence: SiegeEvidence, planned: Planned): ProofOutcome {
  const { windows, apiPeakBytes, apiExits, hostileCores, throttledPeriods, rows } = evidence;
  const alone = summarise(
    evidence,
    windows.filter(({ deeds }) => Object.keys(deeds).length === 0),
  );
  const failures = [...objectionsToErrors(evidence), ...objectionsToAlone(alone, planned)];
  const figures: ProofOutcome['figures'] = { rows, ...figuresOf('alone', alone) };

  for (const { attacks } of planned.sieges) {
    const name = attacks.join(' + ');
    const held = windows.filter(({ deeds }) => attacks.every((attack) => deeds[attack]));
    const siege = summarise(evidence, held);
    Object.assign(figures, figuresOf(name, siege));
    failures.push(...objectionsToSiege(name, siege, alone, planned));
    for (const attack of attacks) {
      const deeds = held.flatMap((window) => window.deeds[attack] ?? []);
      Object.assign(figures, { [`${attack}: did`]: describeDeeds(deeds) });
      failures.push(...objectionsToDeeds(attack, deeds, planned));
    }
  }
  if (rows < planned.claims.rows) failures.push(`the hostile tenant has only ${rows} tasks of ${planned.claims.rows}`);
  const attacked = new Set(planned.sieges.flatMap(({ attacks }) => attacks));
  for (const name of attackNames) if (!attacked.has(name)) failures.push(`the attack ${name} was not planned`);
  if (apiExits > 0) failures.push(`the API process exited ${apiExits} times`);
  const peak = Math.round(apiPeakBytes / megabyte);
  if (!(peak > 0 && peak < memoryLimitMegabytes))
    failures.push(`the API process used ${peak} MB at its peak; less than ${memoryLimitMegabytes} MB are promised`);
  if (!(hostileCores > 0 && hostileCores <= hostileCoresLimit) || throttledPeriods === 0)
    failures.push(`the hostile process was not confined: it used ${hostileCores.toFixed(2)} cores`);
  return { figures: { ...figures, apiPeakMegabytes: peak, hostileCores: hundredths(hostileCores) }, failures };
}

interface Summary {
  rounds: number;
  /** Medians over the rounds. */
  perSecond: number;
  p99Milliseconds: number;
  /** The most that the API process used in any of the rounds. */
  megabytes: number;
}

/** Returns the medians over windows of the same kind. */
function summarise({ requests }: SiegeEvidence, windows: readonly SiegeWindow[]): Summary {
  const measured = windows.map(({ from, to }) => {
    const responses = requests.filter(
      ({ status, endedAt }) => status >= 200 && status < 300 && endedAt >= from && endedAt < to,
    );
    const latencies = requests
      .filter(({ plannedAt }) => plannedAt >= from && plannedAt < to)
      .map(({ plannedAt, endedAt }) => endedAt - plannedAt);
    return { perSecond: responses.length / ((to - from) / 1000), p99: percentile(latencies, 99) };
  });
  return {
    rounds: windows.length,
    perSecond: percentile(
      measured.map(({ perSecond }) => perSecond),
      50,
    ),
    p99Milliseconds: percentile(
      measured.map(({ p99 }) => p99),
      50,
    ),
    megabytes: Math.round(Math.max(0, ...windows.map(({ apiBytes }) => apiBytes)) / megabyte),
  };
}

function figuresOf(name: string, summary: Summary): ProofOutcome['figures'] {
  return {
    [`${name}: requests per second`]: Math.round(summary.perSecond * 10) / 10,
    [`${name}: p99 milliseconds`]: Math.round(summary.p99Milliseconds * 10) / 10,
    [`${name}: API megabytes`]: summary.megabytes,
  };
}

/** No response may be a 5xx, and none may be missing, at any time. */
function objectionsToErrors({ requests }: SiegeEvidence): string[] {
  const errors = new Map<string, number>();
  for (const { name, status } of requests) {
    if (status !== 0 && status < 500) continue;
    const kind = `${name} ${status === 0 ? 'got no response' : `got the response ${status}`}`;
    errors.set(kind, (errors.get(kind) ?? 0) + 1);
  }
  return Array.from(errors, ([kind, count]) => `${count} times a request of the honest tenant failed: ${kind}`);
}

function objectionsToAlone({ rounds, perSecond }: Summary, planned: Planned): string[] {
  const plannedPerSecond = planned.rates.read + planned.rates.create;
  const objections = rounds < planned.rounds ? [`alone was measured in ${rounds} rounds of ${planned.rounds}`] : [];
  if (perSecond < plannedPerSecond * planned.tolerance.throughputShare) {
    objections.push(
      `alone, the honest tenant got ${perSecond.toFixed(1)} responses per second of ${plannedPerSecond}: it does not use its limits`,
    );
  }
  return objections;
}

function objectionsToSiege(name: string, siege: Summary, alone: Summary, { rounds, tolerance }: Planned): string[] {
  if (siege.rounds < rounds) return [`${name} was measured in ${siege.rounds} rounds of ${rounds}`];
  const objections: string[] = [];
  const leastPerSecond = alone.perSecond * tolerance.throughputShare;
  if (siege.perSecond < leastPerSecond) {
    objections.push(
      `${name}: ${siege.perSecond.toFixed(1)} responses per second, and ${alone.perSecond.toFixed(1)} alone`,
    );
  }
  const longest = Math.max(
    alone.p99Milliseconds * tolerance.latencyFactor,
    alone.p99Milliseconds + tolerance.latencyMilliseconds,
  );
  if (siege.p99Milliseconds > longest) {
    objections.push(
      `${name}: p99 of ${siege.p99Milliseconds.toFixed(1)} ms, and ${alone.p99Milliseconds.toFixed(1)} ms alone`,
    );
  }
  if (siege.megabytes >= memoryLimitMegabytes) objections.push(`${name}: the API process used ${siege.megabytes} MB`);
  return objections;
}

function objectionsToDeeds(attack: AttackName, deeds: readonly Deeds[], { claims, rounds }: Planned): string[] {
  const objections: string[] = [];
  const responses = sumResponses(deeds);
  const { accepted, refused } = expectedStatuses[attack];
  const count = (statuses: readonly number[]): number =>
    statuses.reduce((sum, status) => sum + (responses.get(status) ?? 0), 0);
  for (const [status, times] of responses) {
    if (!accepted.includes(status) && !refused.includes(status))
      objections.push(
        `${attack} got the status ${status} ${times} times, so it is not the attack that it claims to be`,
      );
  }
  if (claims.refused.some((name) => name === attack) && count(refused) === 0)
    objections.push(`${attack} was never refused`);
  if (attack === 'bad-keys' && deeds.some(({ addresses }) => addresses < claims.addresses))
    objections.push(`${attack} came from fewer than ${claims.addresses} addresses`);
  if ((attack === 'failing-creates' || attack === 'webhook-tests') && deeds.every(({ visits }) => visits === 0))
    objections.push(`${attack} never made the service come to the hostile tenant's server`);

  if (accepted.length > 0 && count(accepted) === 0 && attack !== 'failing-creates')
    objections.push(`${attack} was refused from the first request on, so it tested nothing behind the door`);

  if (isHolding(attack)) {
    for (const { held, ended, heldSeconds } of deeds) {
      if (held + ended < claims.sockets)
        objections.push(`${attack} had only ${held + ended} of ${claims.sockets} sockets in a round`);
      // Once every socket is refused or closed, there is nothing left to hold.
      const least = claims.heldSeconds / rounds;
      if (held > 0 && heldSeconds < least)
        objections.push(
          `${attack} held a socket for only ${heldSeconds.toFixed(1)} s of ${least.toFixed(1)} s in a round`,
        );
    }
    return objections;
  }
  const total = count([...accepted, ...refused]);
  const least = claims.responses[attack];
  if (total < least) objections.push(`${attack} got only ${total} responses of ${least}`);
  return objections;
}

function sumResponses(deeds: readonly Deeds[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { responses } of deeds) {
    for (const [status, count] of Object.entries(responses))
      sums.set(Number(status), (sums.get(Number(status)) ?? 0) + count);
  }
  return sums;
}

/** Describes what an attack did over all rounds: "1000 held, 0 ended; 200 ×50". */
function describeDeeds(deeds: readonly Deeds[]): string {
  const statuses = Array.from(sumResponses(deeds), ([status, count]) => `${status || 'none'} ×${count}`);
  const sum = (field: 'held' | 'ended' | 'visits'): number => deeds.reduce((total, one) => total + one[field], 0);
  const seconds = deeds.reduce((total, { heldSeconds }) => total + heldSeconds, 0);
  const sockets =
    sum('held') + sum('ended') > 0 ? `${sum('held')} held for ${hundredths(seconds)} s, ${sum('ended')} ended; ` : '';
  const visits = sum('visits') > 0 ? `; ${sum('visits')} visits` : '';
  return sockets + statuses.join(', ') + visits;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
