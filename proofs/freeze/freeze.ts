import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { closing } from '@kinora/stack/harness/closing';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { taskIdOf } from '@kinora/stack/harness/task-id';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOutcome } from '../proof.ts';
import { type FreezeEvidence, targets } from './freeze-evidence.ts';
import { busiestWorker, copyInRound, freeze, loseWorker } from './freeze-faults.ts';
import { type FreezeSize, longSeconds, shortSeconds, sizes } from './freeze-size.ts';
import { cancelTask, createTask, fillSlots } from './freeze-tasks.ts';
import { type FreezeWorld, startFreezeWorld } from './freeze-world.ts';
import { isTakenOver, judgeFreeze, limitSeconds } from './judge-freeze.ts';
import { lastRoundAt, listFinished, takeCheck } from './take-check.ts';

export const proof: Proof = {
  name: 'freeze',
  promise: 'A frozen or vanished process, part or host costs time, never a task.',
  minutes: 2.5,
  run: (stack, { size, report }) => run(stack, sizes[size], report),
};

async function run(stack: Stack, size: FreezeSize, report: (line: string) => void): Promise<ProofOutcome> {
  await using world = closing(await startFreezeWorld(stack, report));
  for (let round = 0; round < size.rounds; round += 1) {
    await bringLongFaults(world, round);
    await freezeBriefly(world, round);
  }
  return judgeFreeze(await collect(world), size.planned);
}

/** Brings every long fault once. Faults of parts that do not need each other overlap, to save time. */
async function bringLongFaults(world: FreezeWorld, round: number): Promise<void> {
  let filledAt = Date.now();
  await fillSlots(world);
  const vanished = await loseWorker(world, busiestWorker(world, filledAt));
  await Promise.all([waitForTakeover(world, vanished), takeCheck(world, 'after the loss of a host')]);

  filledAt = Date.now();
  await fillSlots(world);
  // One copy of each role is silent, and the others must do its work meanwhile.
  const silent = {
    from: Date.now(),
    worker: busiestWorker(world, filledAt),
    relay: (await lastRoundAt(world)).copy,
    api: copyInRound('api', round),
    engine: copyInRound('engine', round),
  };
  const roles = (['worker', 'relay', 'api', 'engine'] as const).map((role) =>
    freeze(world, role, longSeconds, silent[role]),
  );
  const thawed = Promise.all(roles);
  thawed.catch(() => undefined); // awaited below
  const pid = world.installation.process('worker', silent.worker)?.pid ?? 0;
  // The limit of a check is shorter than the freeze, so whatever it finds was done without the frozen copies.
  const check = takeCheck(world, 'while one copy of each role is frozen');
  await Promise.all([waitForTakeover(world, { pid, from: silent.from }), check]);

  const parts = Promise.all([freeze(world, 'temporal', longSeconds), freeze(world, 's3', longSeconds)]);
  parts.catch(() => undefined); // awaited below
  const [task] = await Promise.all([createTask(world, 1), createTask(world, 1)]);
  await cancelTask(world, task);
  await pause(2_000);
  await Promise.all([thawed, parts, freeze(world, 'postgres', longSeconds)]);
  await takeCheck(world, 'after long freezes of everything');
}

/** Freezes everything for a moment, one part after the other, so that the freezes overlap in part. */
async function freezeBriefly(world: FreezeWorld, round: number): Promise<void> {
  await fillSlots(world);
  await Promise.all(
    targets.map(async (target, index) => {
      await pause(index * 500);
      await freeze(world, target, shortSeconds, copyInRound(target, round));
    }),
  );
  await takeCheck(world, 'after short freezes of everything');
}

/** Waits a while until another worker has taken over; the judge objects if none has. */
async function waitForTakeover(world: FreezeWorld, from: { pid: number; from: number }): Promise<void> {
  await becomesTrueWithin(limitSeconds * 1000, () => isTakenOver(world.evidence.holders, from));
}

async function collect(world: FreezeWorld): Promise<FreezeEvidence> {
  const { stack, evidence, report } = world;
  await using database = await openDatabase(stack);
  report('waiting until all work is finished');
  const open = `select 1 from tasks where status in ('queued', 'in_progress')`;
  await becomesTrueWithin(hangLimitMilliseconds, async () => (await database.query(open)).rowCount === 0);
  return { ...evidence, ...(await readRows(database, evidence)), objectsLeft: await listFinished(stack.info.s3) };
}

interface TaskRow {
  id: string;
  status: string;
  code: string | null;
  video: { objectKey: string; thumbnailKey: string; spritesheetKey: string; sha256: string } | null;
}

async function readRows(
  database: Client,
  { tasks }: FreezeEvidence,
): Promise<Pick<FreezeEvidence, 'tasks' | 'attempts' | 'strangers'>> {
  const { rows } = await database.query<TaskRow>(`select id, status, error->>'code' as code, video from tasks`);
  const found = new Map(rows.map((row) => [taskIdOf(row.id), row]));
  const attempts = await database.query<{ id: string; attempt: number; outcome: string | null }>(
    'select task_id as id, attempt, outcome from attempts',
  );
  const known = new Set(tasks.map(({ taskId }) => taskId));
  return {
    tasks: tasks.map((task) => {
      const { status = null, code = null, video = null } = found.get(task.taskId) ?? {};
      const objectKeys = video ? [video.objectKey, video.thumbnailKey, video.spritesheetKey] : [];
      return { ...task, status, code, sha256: video?.sha256 ?? null, objectKeys };
    }),
    attempts: attempts.rows.map(({ id, attempt, outcome }) => ({ taskId: taskIdOf(id), attempt, outcome })),
    strangers: [...found.keys()].filter((taskId) => !known.has(taskId)),
  };
}
