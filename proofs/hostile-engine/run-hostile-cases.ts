import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { type ApiClient, bodyOrThrow, type Task } from '@kinora/stack/harness/api-client';
import { becomesTrueWithin } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { smallestShape } from '@kinora/stack/harness/models-file';
import { pause } from '@kinora/stack/harness/pause';
import { inspectVideo } from '@kinora/stack/harness/sample-videos';
import { type Case, liesAfterEnd, withoutPrompt } from './hostile-case.ts';
import type { ObservedTask } from './hostile-evidence.ts';
import { requestOf } from './hostile-models.ts';
import type { HostileServer } from './hostile-server.ts';

interface Run {
  api: ApiClient;
  server: HostileServer;
  colourOf: (case_: Case) => string;
  /** A task that is not final by then counts as never ended. */
  patienceSeconds: number;
  /** The most files to download. */
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

const pollMilliseconds = 700;
const progressMilliseconds = 250;

/** Creates a task of every case, waits until all have ended, and collects the evidence. */
export async function runCases(run: Run, cases: readonly Case[]): Promise<ObservedTask[]> {
  const { api, server, report } = run;
  const deadline = Date.now() + run.patienceSeconds * 1000;
  const running = new Map<string, Running>();
  const side: Promise<unknown>[] = [];
  await forEachConcurrently(8, cases, async (case_) => {
    const { task_id: taskId } = await api.create(requestOf(case_));
    const entry: Running = { case: case_, taskId, beganAt: Date.now(), endedAt: null, progress: [] };
    running.set(taskId, entry);
    if (case_.isCancelled) side.push(server.taken(case_).then(() => api.cancel(taskId)));
    if (case_.mutation?.watchesProgress) side.push(watchProgress(api, entry, deadline));
  });
  report(`${running.size} tasks were created`);

  let tasks: Task[] = [];
  for (let polls = 0; ; polls += 1) {
    tasks = (await api.list()).filter(({ task_id }) => running.has(task_id));
    for (const { task_id, is_final } of tasks) {
      const entry = running.get(task_id);
      if (!is_final || !entry || entry.endedAt !== null) continue;
      entry.endedAt = Date.now();
      server.settle(entry.case);
    }
    const waiting = [...running.values()].filter(({ endedAt }) => endedAt === null);
    if (waiting.length === 0 || Date.now() > deadline) break;
    if (polls % 15 === 0)
      report(
        `${running.size - waiting.length} of ${running.size} have ended, ${mutatedResponses(server)} responses were mutated`,
      );
    await pause(pollMilliseconds);
  }
  void Promise.allSettled(side); // Cancels of tasks that no engine accepted never settle.
  await untilAllLied(server, cases);
  return collect(run, tasks, running);
}

async function watchProgress(api: ApiClient, entry: Running, deadline: number): Promise<void> {
  while (entry.endedAt === null && Date.now() < deadline) {
    const { status, attempt, progress } = await api.read(entry.taskId);
    if (status === 'in_progress') entry.progress.push({ attempt, progress });
    await pause(progressMilliseconds);
  }
}

/** Waits until the engines got the requests that Kinora sends after the end of a task. */
async function untilAllLied({ mutated }: HostileServer, cases: readonly Case[]): Promise<void> {
  const isOpen = (case_: Case): boolean => liesAfterEnd(case_) && !mutated.get(case_.number);
  await becomesTrueWithin(hangLimitMilliseconds, () => !cases.some(isOpen));
}

async function collect(
  run: Run,
  tasks: readonly Task[],
  running: ReadonlyMap<string, Running>,
): Promise<ObservedTask[]> {
  const { api, server, colourOf } = run;
  const observed: ObservedTask[] = [];
  // Files of tasks that could have got another task's video come first.
  const fileOrder = ({ task_id }: Task): number =>
    /another|attempt|honest|second response/.test(running.get(task_id)?.case.name ?? '') ? 0 : 1;
  const decoded = tasks
    .filter(({ status }) => status === 'completed')
    .toSorted((one, other) => fileOrder(one) - fileOrder(other))
    .slice(0, run.files);
  await forEachConcurrently(2, tasks, async (task) => {
    const entry = running.get(task.task_id);
    if (!entry) return;
    const { name, protocol, ends, mutation, number } = entry.case;
    observed.push({
      name,
      protocol,
      ends,
      mutatedResponses: mutation ? (server.mutated.get(number) ?? 0) : null,
      status: task.status,
      error: task.error,
      video: task.video && {
        width: task.video.width,
        height: task.video.height,
        fps: task.video.fps,
        frameCount: task.video.frame_count,
      },
      expected: { shape: smallestShape, colour: colourOf(entry.case) },
      file: decoded.includes(task) ? await decodeFile(run, task.task_id) : null,
      progress: entry.progress,
      publicText: await publicText(api, task.task_id),
      seconds: ((entry.endedAt ?? Date.now()) - entry.beganAt) / 1000,
    });
  });
  return observed;
}

/** Returns the API's responses about a task, without the caller's prompt. */
async function publicText(api: ApiClient, taskId: string): Promise<string> {
  const responses = await Promise.all(['', '/timeline'].map((part) => api.get(`/v1/videos/${taskId}${part}`)));
  return withoutPrompt(responses.map((response) => bodyOrThrow(response) && response.text).join('\n'));
}

async function decodeFile({ api, folder }: Run, taskId: string): Promise<ObservedTask['file']> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${taskId}.mp4`);
  await writeFile(path, await api.content(taskId));
  return inspectVideo(path);
}

function mutatedResponses({ mutated }: HostileServer): number {
  return [...mutated.values()].reduce((sum, count) => sum + count, 0);
}
