import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inLanes } from '@kinora/stack/harness/in-lanes';
import { interrupted } from '@kinora/stack/harness/interruption';
import { lookAtVideo } from '@kinora/stack/harness/sample-videos';
import type { Caller, PublicTask } from './caller.ts';
import type { Case } from './case.ts';
import type { SeenTask } from './evidence.ts';
import type { HostileServer } from './hostile-server.ts';
import { videoShape } from './models-file.ts';

interface Run {
  caller: Caller;
  server: HostileServer;
  colourOf: (case_: Case) => string;
  /** What is not over then never ended. */
  patienceSeconds: number;
  /** How many files are downloaded at most. */
  files: number;
  folder: string;
  report: (line: string) => void;
}

interface Running {
  case: Case;
  taskId: string;
  beganAt: number;
  endedAt: number | null;
  progress: { attempt: number; progress: number }[];
}

const lookMilliseconds = 700;
const progressMilliseconds = 250;
/** After a cancel its engine is asked once more. */
const cancelSeconds = 15;

/** Makes a task of every case, sees all of them to their ends, and looks at what came of them. */
export async function runCases(run: Run, cases: readonly Case[]): Promise<SeenTask[]> {
  const { caller, server, report } = run;
  const deadline = Date.now() + run.patienceSeconds * 1000;
  const running = new Map<string, Running>();
  const side: Promise<void>[] = [];
  await inLanes(8, cases, async (case_) => {
    const taskId = await caller.create(case_);
    const entry: Running = { case: case_, taskId, beganAt: Date.now(), endedAt: null, progress: [] };
    running.set(taskId, entry);
    if (case_.isCancelled) side.push(server.taken(case_).then(() => caller.cancel(taskId)));
    if (case_.mutation?.watchesProgress) side.push(watchProgress(caller, entry, deadline));
  });
  report(`${running.size} tasks are made`);

  let tasks: PublicTask[] = [];
  for (let looks = 0; ; looks += 1) {
    tasks = (await caller.list()).filter(({ task_id }) => running.has(task_id));
    for (const { task_id, is_final } of tasks) {
      const entry = running.get(task_id);
      if (!is_final || !entry || entry.endedAt !== null) continue;
      entry.endedAt = Date.now();
      server.settle(entry.case);
    }
    const waiting = [...running.values()].filter(({ endedAt }) => endedAt === null);
    if (waiting.length === 0 || Date.now() > deadline) break;
    if (looks % 15 === 0)
      report(
        `${running.size - waiting.length} of ${running.size} have ended, ${mutatedAnswers(server)} answers were mutated`,
      );
    await pause(lookMilliseconds, undefined, { signal: interrupted });
  }
  void Promise.allSettled(side); // what still waits for its engine does so for ever
  await untilAsked(server, cases);
  return look(run, tasks, running);
}

async function watchProgress(caller: Caller, entry: Running, deadline: number): Promise<void> {
  while (entry.endedAt === null && Date.now() < deadline) {
    const { status, attempt, progress } = await caller.read(entry.taskId);
    if (status === 'in_progress') entry.progress.push({ attempt, progress });
    await pause(progressMilliseconds, undefined, { signal: interrupted });
  }
}

/** The engine of a cancelled task is told of it a moment later. */
async function untilAsked({ mutated }: HostileServer, cases: readonly Case[]): Promise<void> {
  const deadline = Date.now() + cancelSeconds * 1000;
  const isOpen = ({ isCancelled, number }: Case): boolean => isCancelled && !mutated.get(number);
  while (cases.some(isOpen) && Date.now() < deadline) await pause(200, undefined, { signal: interrupted });
}

async function look(
  run: Run,
  tasks: readonly PublicTask[],
  running: ReadonlyMap<string, Running>,
): Promise<SeenTask[]> {
  const { caller, server, colourOf } = run;
  const seen: SeenTask[] = [];
  // First those that could have got another's video.
  const isTelling = ({ task_id }: PublicTask): number =>
    /another|attempt|honest|second answer/.test(running.get(task_id)?.case.name ?? '') ? 0 : 1;
  const looked = tasks
    .filter(({ status }) => status === 'completed')
    .toSorted((one, other) => isTelling(one) - isTelling(other))
    .slice(0, run.files);
  await inLanes(2, tasks, async (task) => {
    const entry = running.get(task.task_id);
    if (!entry) return;
    const { name, protocol, ends, mutation, number } = entry.case;
    seen.push({
      name,
      protocol,
      ends,
      mutatedAnswers: mutation ? (server.mutated.get(number) ?? 0) : null,
      status: task.status,
      error: task.error,
      video: task.video && {
        width: task.video.width,
        height: task.video.height,
        fps: task.video.fps,
        frameCount: task.video.frame_count,
      },
      expected: { shape: videoShape, colour: colourOf(entry.case) },
      file: looked.includes(task) ? await lookAtFile(run, task.task_id) : null,
      progress: entry.progress,
      publicText: await caller.text(task.task_id),
      seconds: ((entry.endedAt ?? Date.now()) - entry.beganAt) / 1000,
    });
  });
  return seen;
}

async function lookAtFile({ caller, folder }: Run, taskId: string): Promise<SeenTask['file']> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${taskId}.mp4`);
  await writeFile(path, await caller.content(taskId));
  return lookAtVideo(path);
}

function mutatedAnswers({ mutated }: HostileServer): number {
  return [...mutated.values()].reduce((sum, count) => sum + count, 0);
}
