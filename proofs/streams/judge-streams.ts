import { percentile } from '@kinora/stack/harness/percentile';
import type { ProofOutcome } from '../proof.ts';
import type { Cause, Evidence, StreamRecord } from './streams-evidence.ts';

interface Planned {
  streams: number;
  tasks: number;
}

/** The longest allowed time from the commit of an event to its last reader, at p99. */
const longestMilliseconds = 200;

/** Judges whether every event reached all streams that follow it, once and in order, in every round. No time counts. */
export function judgeStreams(rounds: readonly Evidence[], planned: Planned): ProofOutcome {
  const judged = rounds.map((evidence) => judgeRound(evidence, planned));
  const [first] = rounds;
  return {
    figures: {
      rounds: rounds.length,
      ...judged.at(-1)?.figures,
      // Later rounds begin with the memory that the first one needed.
      ...(first ? memoryFigures(first) : {}),
    },
    failures: judged.flatMap((round) => round.failures),
  };
}

/** Judges the lateness of events, at night only; on a busy machine they may be late in a round, but not in each. */
export function judgeLateness(rounds: readonly Evidence[]): string[] {
  if (!rounds.every(isLate)) return [];
  const each = rounds.map((evidence) => `${p99Of(evidence)} ms`).join(', ');
  return [`an event took ${each} at p99 to reach all streams; ${longestMilliseconds} ms are promised`];
}

/** Whether events took longer than promised in this round. */
export function isLate(evidence: Evidence): boolean {
  return p99Of(evidence) > longestMilliseconds;
}

function p99Of({ streams, causes }: Evidence): number {
  const toAll = causes.flatMap((cause) => timesOf(cause, streams).map(({ fromCommit }) => fromCommit));
  return tenthsAt(toAll, 99);
}

function memoryFigures({ streams, memory: { beforeBytes, openBytes } }: Evidence): ProofOutcome['figures'] {
  const perStream = (openBytes - beforeBytes) / Math.max(1, streams.length);
  return {
    kilobytesPerStream: Math.round(perStream / 102.4) / 10,
    megabytesBefore: Math.round(beforeBytes / 1024 / 1024),
    megabytesOpen: Math.round(openBytes / 1024 / 1024),
  };
}

function judgeRound(evidence: Evidence, planned: Planned): ProofOutcome {
  const { streams, causes, secondsToOpen } = evidence;
  const causeOf = new Map(causes.map((cause) => [cause.taskId, cause]));
  const failures = [...streams.flatMap((stream) => objectionsTo(stream, causeOf)), ...disorder(streams)];
  if (streams.length < planned.streams)
    failures.push(`only ${streams.length} of ${planned.streams} streams were opened`);
  if (causes.length < planned.tasks) failures.push(`only ${causes.length} of ${planned.tasks} events were caused`);

  const reached = causes.flatMap((cause) => timesOf(cause, streams));
  const toAll = sorted(reached.map(({ fromCommit }) => fromCommit));
  const toAllFromSent = sorted(reached.map(({ fromSent }) => fromSent));
  const each = sorted(reached.flatMap(({ each: times }) => times));
  if (toAll.length === 0) failures.push('no event reached any stream');
  const deliveries = each.length;
  return {
    figures: {
      streams: streams.length,
      tasks: causes.length,
      deliveries,
      toAllP50Milliseconds: tenthsAt(toAll, 50),
      toAllP99Milliseconds: tenthsAt(toAll, 99),
      toAllMostMilliseconds: tenthsAt(toAll, 100),
      toAllWithTheCancelP99Milliseconds: tenthsAt(toAllFromSent, 99),
      toEachP50Milliseconds: tenthsAt(each, 50),
      toEachP99Milliseconds: tenthsAt(each, 99),
      secondsToOpen,
      keepAlives: streams.reduce((sum, stream) => sum + stream.keepAlives, 0),
    },
    failures,
  };
}

function objectionsTo(stream: StreamRecord, causeOf: ReadonlyMap<string, Cause>): string[] {
  const name = `stream ${stream.number} (${stream.kind})`;
  if (stream.responseStatus !== 200) return [`${name} got the response ${stream.responseStatus}`];
  const objections = stream.taskIds.flatMap((taskId) => {
    const ends = endsOf(stream, taskId);
    if (ends.length === 0) return [`${name} never sent the end of ${taskId}`];
    if (ends.length > 1) return [`${name} sent the end of ${taskId} ${ends.length} times`];
    const cause = causeOf.get(taskId);
    const isTooEarly = cause === undefined || ends.some(({ at }) => at < cause.sentAt);
    return isTooEarly ? [`${name} sent the end of ${taskId} before its cancel was sent`] : [];
  });
  const foreign = stream.arrivals.filter(({ taskId }) => !stream.taskIds.includes(taskId));
  if (foreign.length > 0) objections.push(`${name} sent ${foreign.length} messages about tasks that are not its own`);
  if (stream.kind === 'project') {
    if (stream.hasEnded) objections.push(`${name} ended by itself`);
    return objections;
  }
  if (stream.arrivals[0]?.status !== 'queued') objections.push(`${name} did not begin with the current state`);
  const ids = stream.arrivals.map(({ id }) => Number(id));
  if (ids.some((id, index) => !(id > (ids[index - 1] ?? 0)))) objections.push(`${name} repeated or reordered versions`);
  if (!stream.hasEnded) objections.push(`${name} did not end after the final status`);
  return objections;
}

/** Returns the streams of a project that sent the events in another order than its first stream. */
function disorder(streams: readonly StreamRecord[]): string[] {
  const ofProjects = Map.groupBy(
    streams.filter(({ kind }) => kind === 'project'),
    ({ taskIds }) => taskIds.join(),
  );
  const orderOf = ({ arrivals }: StreamRecord): string => arrivals.flatMap(({ id }) => id ?? []).join();
  return [...ofProjects.values()].flatMap(([first, ...others]) =>
    others
      .filter((stream) => first && orderOf(stream) !== orderOf(first))
      .map(({ number }) => `stream ${number} (project) sent the events in another order than stream ${first?.number}`),
  );
}

/** Returns how long an event took to each of its readers, and to the last one. */
function timesOf({ taskId, sentAt, committedAt }: Cause, streams: readonly StreamRecord[]) {
  const arrivedAt = streams
    .filter((stream) => stream.taskIds.includes(taskId))
    .flatMap((stream) => endsOf(stream, taskId).map(({ at }) => at));
  if (arrivedAt.length === 0) return [];
  const last = Math.max(...arrivedAt);
  return [{ fromSent: last - sentAt, fromCommit: last - committedAt, each: arrivedAt.map((at) => at - committedAt) }];
}

function endsOf({ kind, arrivals }: StreamRecord, taskId: string) {
  const wanted = kind === 'task' ? 'task' : 'video.cancelled';
  return arrivals.filter((one) => one.taskId === taskId && one.event === wanted && one.status === 'cancelled');
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((one, other) => one - other);
}

/** Returns a percentile, rounded to a tenth. */
function tenthsAt(numbers: readonly number[], percent: number): number {
  return Math.round(percentile(numbers, percent) * 10) / 10;
}
