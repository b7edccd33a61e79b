import { closing } from '@kinora/stack/harness/closing';
import { startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { startStubEngine } from '@kinora/stack/harness/stub-engine';
import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOptions, ProofOutcome } from '../proof.ts';
import { createNewProject, type FairProject } from './fair-projects.ts';
import type { Evidence, PositionSample, Times } from './fairness-evidence.ts';
import { sizes } from './fairness-size.ts';
import { judgeFairness } from './judge-fairness.ts';
import { judgeBusy, judgeFairnessTimes, judgeLight } from './judge-fairness-times.ts';
import { longJobMilliseconds, type Parts, slots } from './parts.ts';
import { drain, runBacklogs } from './run-backlogs.ts';
import { runLight } from './run-light.ts';
import { runOrder } from './run-order.ts';

export const proof: Proof = {
  name: 'fairness',
  promise:
    'Projects share a pool by their weights and within their caps, even if one floods it, and its slots stay busy.',
  // At night, with three rounds of (c).
  minutes: 6.5,
  inGate: 'shared',
  run,
};

/** Runs real roles on a real stack. Only the engine is a stub, which records what really ran, and when. */
async function run(stack: Stack, { size: proofSize, tier, random, report }: ProofOptions): Promise<ProofOutcome> {
  const size = sizes[tier === 'gate' ? 'gate' : proofSize];
  await using engine = closing(await startStubEngine({ slots, jobMilliseconds: size.jobMilliseconds }));
  await using installation = await startInstallation({
    stack,
    roles: ['worker', 'relay', 'api'],
    limits: { creates: 100_000, reads: 100_000 },
    // Jobs that the proof holds make no progress.
    environment: { KINORA_ANIMATIC_URL: engine.url, KINORA_STALL_SECONDS: '3600' },
    onProgress: report,
  });
  await using database = await openDatabase(stack);
  const newProject = createNewProject(installation, database);
  const parts = { stack, size, engine, database, newProject, tier, random, report };
  const { evidence, positionsInMotion } = await gather(parts);
  const ordered = judgeFairness(evidence, size.planned);
  const measured = tier === 'gate' ? null : judgeFairnessTimes(await measure(parts, positionsInMotion), size.planned);
  return {
    figures: { ...ordered.figures, ...measured?.figures },
    failures: [...ordered.failures, ...(measured?.failures ?? []), ...(await findSelfRepairs(stack, installation))],
  };
}

/** Gathers what order and counts show. */
async function gather(parts: Parts): Promise<{ evidence: Evidence; positionsInMotion: PositionSample[] }> {
  const { size } = parts;
  const { projects, tasksEach } = size.equal;
  // Some reads are of tasks that begin in the drain, and a few more than needed cost little.
  const positions = size.planned.fewestPositions;
  const equal = await runBacklogs(parts, {
    what: `(a) ${projects} projects`,
    backlogs: Array.from({ length: projects }, (_, index) => ({ project: `a${index}`, weight: 1, tasks: tasksEach })),
    enough: size.planned.fewestEqualStarts + slots,
    positions,
  });
  const weighted = await runBacklogs(parts, {
    what: '(b) weights 1:3',
    backlogs: [
      { project: 'b1', weight: 1, tasks: size.weightedTasks },
      { project: 'b3', weight: 3, tasks: 3 * size.weightedTasks },
    ],
    enough: size.planned.fewestWeightedStarts + slots,
    positions,
  });
  const capped = await runCapped(parts);
  // Last, because the tasks that the heavy project has left are drained only if more follows.
  const order = await runOrder(parts);
  return {
    evidence: {
      slots,
      equal,
      weighted,
      light: order.light,
      capped,
      filled: [equal.filled, weighted.filled, ...order.filled],
      positions: [...equal.positions, ...weighted.positions],
    },
    positionsInMotion: [...equal.positionsInMotion, ...weighted.positionsInMotion],
  };
}

/** Measures what depends on the speed of the machine. */
async function measure(parts: Parts, positions: PositionSample[]): Promise<Times> {
  const { size } = parts;
  await drain(parts);
  const busy = await measureUntilKept(
    parts,
    '(e)',
    (round) => runBusy(parts, round),
    (found) => judgeBusy(found, slots, size.planned),
  );
  const light = await measureUntilKept(
    parts,
    '(c)',
    (round) => runLightTwice(parts, round),
    (found) => judgeLight(found, size.jobMilliseconds, size.planned),
  );
  return { slots, jobMilliseconds: size.jobMilliseconds, light, busy, positions };
}

/** (d) Two projects that could each use all slots without their caps. */
async function runCapped(parts: Parts): Promise<Evidence['capped']> {
  const tasks = parts.size.cappedTasksEach;
  const capOfTwo = 2;
  const { starts, projects } = await runBacklogs(parts, {
    what: '(d) caps of 2',
    backlogs: [
      { project: 'd1', weight: 1, tasks },
      { project: 'd2', weight: 1, tasks },
    ],
    cap: capOfTwo,
    enough: 2 * tasks,
  });
  const rows = await rowsOf(parts.database, projects);
  const running = rows.map(({ project, admittedAt, completedAt }) => ({
    project,
    from: admittedAt,
    until: completedAt,
  }));
  return { cap: capOfTwo, starts, running };
}

const rounds = 3;

/** Measures up to three times, until the judge accepts: a machine may be busy once; an unfair pool always is unfair. */
async function measureUntilKept<Found>(
  { report }: Parts,
  what: string,
  measure: (round: number) => Promise<Found>,
  judge: (found: Found) => { failures: string[] },
): Promise<Found> {
  for (let round = 1; ; round += 1) {
    const found = await measure(round);
    const { failures } = judge(found);
    if (failures.length === 0 || round === rounds) return found;
    report(`${what} is measured once more: ${failures.join('; ')}`);
  }
}

/** (c) The same light tasks without and with a heavy neighbour. */
async function runLightTwice(parts: Parts, round: number): Promise<Times['light']> {
  const { heavyTasks } = parts.size.light;
  // Tasks that the heavy project of the previous round has left would be a heavy neighbour too.
  if (round > 1) await drain(parts);
  const alone = await runLight(parts, { round, heavyTasks: 0 });
  const beside = await runLight(parts, { round, heavyTasks });
  return { alone, beside, heavyWaiting: heavyTasks };
}

/** (e) Two projects with long jobs, which should keep every slot busy. */
async function runBusy(parts: Parts, round: number): Promise<Times['busy']> {
  const tasks = parts.size.busyTasksEach;
  const { starts, projects } = await runBacklogs(parts, {
    what: '(e) jobs of 3 s',
    backlogs: [
      { project: `e1-${round}`, weight: 1, tasks },
      { project: `e2-${round}`, weight: 1, tasks },
    ],
    jobMilliseconds: longJobMilliseconds,
    enough: 2 * tasks,
  });
  const rows = await rowsOf(parts.database, projects);
  const rowOf = new Map(rows.map((row) => [row.taskId, row]));
  return {
    starts: starts.flatMap((start) => {
      const row = rowOf.get(start.taskId);
      return row ? [{ ...start, slot: row.slot, startedAt: row.startedAt, freedAt: row.freedAt }] : [];
    }),
    waits: rows.map(({ admittedAt, startedAt }) => ({ from: admittedAt, until: startedAt })),
  };
}

interface TaskRow {
  id: string;
  name: string;
  slot: number;
  admitted_at: Date;
  started_at: Date;
  slot_freed_at: Date;
  completed_at: Date;
}

/** Reads when the tasks of some projects were admitted, began and ended. */
async function rowsOf(database: Client, projects: readonly FairProject[]) {
  const { rows } = await database.query<TaskRow>(
    `select tasks.id, name, slot, admitted_at, started_at, slot_freed_at, completed_at
     from tasks join projects on projects.id = tasks.project_id join attempts on attempts.task_id = tasks.id
     where name = any($1) and attempts.attempt = 1`,
    [projects.map(({ name }) => name)],
  );
  return rows.map((row) => ({
    taskId: taskIdOf(row.id),
    project: row.name,
    slot: row.slot,
    admittedAt: row.admitted_at.getTime(),
    startedAt: row.started_at.getTime(),
    freedAt: row.slot_freed_at.getTime(),
    completedAt: row.completed_at.getTime(),
  }));
}
