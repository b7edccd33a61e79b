import type { ReportedProcess } from '../db/attempts/process-table.ts';
import { isSilent } from '../domain/process-signs.ts';

/** Something that keeps the roles of the service from doing their work, and what to do about it. */
export interface ProcessProblem {
  kind: 'missing' | 'silent' | 'versions' | 'clock' | 'timers';
  reason: string;
  remedy: string;
}

/** A relay takes the lock within seconds. */
const lockSeconds = 30;
const clockMilliseconds = 5_000;
/** How late a timer may be beside its interval: the work itself takes time. */
const timerSlackSeconds = 120;

/** What does not happen without a role. The console is left out, because not every installation has one. */
const withoutRole = {
  api: 'no request is answered',
  relay: 'nothing is repaired or expires, and what Temporal has not received waits',
  worker: 'no task starts',
} as const;

/** Judges the processes of an installation by their reports. */
export function judgeProcesses(processes: readonly ReportedProcess[], now: Date): ProcessProblem[] {
  const live = processes.filter((process) => !isSilent(process));
  const missing = Object.entries(withoutRole).flatMap(([role, what]): ProcessProblem[] =>
    live.some(({ roles }) => roles.includes(role))
      ? []
      : [
          {
            kind: 'missing',
            reason: `No ${role} is running: ${what}.`,
            remedy: `Start one: kinora-server start --roles ${role}`,
          },
        ],
  );
  const silent = processes
    .filter((process) => isSilent(process) && !isReplaced(process, live))
    .map(
      (process): ProcessProblem => ({
        kind: 'silent',
        reason: `${nameOf(process)} has been silent for ${Math.round(process.silentSeconds)} s.`,
        remedy: 'If it was not stopped on purpose, look at its log and its machine, and restart it.',
      }),
    );
  const clocks = live
    .filter(({ aheadMilliseconds }) => Math.abs(aheadMilliseconds ?? 0) > clockMilliseconds)
    .map(
      (process): ProcessProblem => ({
        kind: 'clock',
        reason: `The clock of ${nameOf(process)} is ${describeOffset(process.aheadMilliseconds ?? 0)} Postgres's.`,
        remedy: 'Synchronise the clocks of both machines by NTP (chrony or systemd-timesyncd).',
      }),
    );
  return [...missing, ...silent, ...judgeVersions(live), ...clocks, ...judgeTimers(live, now)];
}

/** A process that was killed and started again needs no attention. */
function isReplaced(process: ReportedProcess, live: readonly ReportedProcess[]): boolean {
  return live.some(
    ({ host, roles, startedAt }) =>
      host === process.host && String(roles) === String(process.roles) && startedAt > process.startedAt,
  );
}

/** Two minor versions that follow each other work together, so that an upgrade needs no downtime. */
function judgeVersions(live: readonly ReportedProcess[]): ProcessProblem[] {
  const versions = [...new Set(live.map(({ version }) => version))].sort();
  const minors = versions.map((version) => version.split('.').slice(0, 2).map(Number));
  const [majors, numbers] = [minors.map(([major]) => major ?? 0), minors.map(([, minor]) => minor ?? 0)];
  const isNear = new Set(majors).size <= 1 && Math.max(...numbers) - Math.min(...numbers) <= 1;
  if (versions.length === 0 || isNear) return [];
  const reason = `Processes have the versions ${versions.join(', ')}, which are more than one minor version apart.`;
  return [{ kind: 'versions', reason, remedy: 'Finish the upgrade: give all roles the same version.' }];
}

function judgeTimers(live: readonly ReportedProcess[], now: Date): ProcessProblem[] {
  const relays = live.filter(({ roles }) => roles.includes('relay'));
  const secondsSince = (moment: Date): number => (now.getTime() - moment.getTime()) / 1000;
  const leader = relays.find(({ timers }) => timers.length > 0);
  if (!leader) {
    if (!relays.some(({ startedAt }) => secondsSince(startedAt) > lockSeconds)) return [];
    const reason = 'No relay holds the lock, so none does the work that only one may do.';
    return [
      {
        kind: 'timers',
        reason,
        remedy: 'Look at the logs of the relays: their lock needs a direct connection to Postgres.',
      },
    ];
  }
  const late = leader.timers.filter(
    ({ everySeconds, endedAt }) =>
      secondsSince(endedAt === null ? leader.startedAt : new Date(endedAt)) > everySeconds + timerSlackSeconds,
  );
  return late.map(({ name, endedAt }) => ({
    kind: 'timers',
    reason: `The timer ${name} of ${nameOf(leader)} has not run without an error since ${endedAt ?? 'its start'}.`,
    remedy: 'Look for relay.timer_failed in the log of that relay.',
  }));
}

function nameOf({ roles, host, version }: ReportedProcess): string {
  return `${roles.join('+')} ${version} on ${host}`;
}

function describeOffset(milliseconds: number): string {
  return `${Math.round(Math.abs(milliseconds) / 1000)} s ${milliseconds > 0 ? 'ahead of' : 'behind'}`;
}
