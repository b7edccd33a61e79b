import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { type ApiClient, bearer, createApiClient } from '@kinora/stack/harness/api-client';
import { becomesTrueWithin, eventually } from '@kinora/stack/harness/eventually';
import { pause } from '@kinora/stack/harness/pause';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOptions, ProofOutcome, ProofSize } from '../proof.ts';
import { type CellsWorld, startCells } from './cells-world.ts';
import { type Answer, type CellsEvidence, judgeCells, type LivedTask, type Phase } from './judge-cells.ts';

export const proof: Proof = {
  name: 'cells',
  promise:
    'Of two installations behind one address, each goes on at its rate while everything of the other is dead; while a shard moves, its requests get `moving` or succeed.',
  minutes: 4,
  run,
};

const phaseSeconds: Record<ProofSize, number> = { ci: 60, full: 300 };
/** Of each cell. */
const tasksPerSecond = 0.5;
/** While the map changes. */
const requestsPerSecond = 20;
const secondsPerMap = 4;
const request = { prompt: 'A hill at dusk', ...smallestVideo };

async function run(stack: Stack, { size, report }: ProofOptions): Promise<ProofOutcome> {
  await using world = await startCells(stack, report);
  const routes = await askEverywhere(world);
  const lives = await killOneCell(world, phaseSeconds[size], report);
  const moved = await moveShard(world, report);
  return judgeCells({ routes, ...lives, moved });
}

/** Sends every kind of request to the shared address, for a task of each cell. */
async function askEverywhere(world: CellsWorld): Promise<CellsEvidence['routes']> {
  const routes: CellsEvidence['routes'] = [];
  const cells = { a: clientOf(world, 'a'), b: clientOf(world, 'b') };
  const videos = { a: await makeVideo(cells.a), b: await makeVideo(cells.b) };
  for (const [cell, other] of [['a', 'b'] as const, ['b', 'a'] as const]) {
    const { taskId, link } = videos[cell];
    const token = await cells[cell].post<{ token: string }>('/v1/tokens', {});
    const ask = async (name: string, expected: number, path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(new URL(path, world.url), { headers });
      await response.body?.cancel();
      routes.push({ name: `${name} of cell ${cell}`, expected, status: response.status });
    };
    await ask('the key', 200, `/v1/videos/${taskId}`, bearer(world[cell].testKey));
    await ask('a token', 200, `/v1/videos/${taskId}`, bearer(token.body.token));
    await ask('a signed link', 200, link);
    await ask('the id with the key of the other cell', 404, `/v1/videos/${taskId}`, bearer(world[other].testKey));
  }
  return routes;
}

/** Lets both cells work for a while, then only B, and then both again. */
async function killOneCell(
  world: CellsWorld,
  seconds: number,
  report: (line: string) => void,
): Promise<Pick<CellsEvidence, 'tasks' | 'whileDead' | 'leftOfA'>> {
  const tasks: LivedTask[] = [];
  const [a, b] = [clientOf(world, 'a'), clientOf(world, 'b')];
  const known = await makeVideo(b);
  const accepted: string[] = [];
  const whileDead: Answer[] = [];
  const live = async (phase: Phase, work: () => Promise<void>): Promise<void> => {
    report(`cell A ${phase}`);
    let isOver = false;
    const working = work().finally(() => (isOver = true));
    const running: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let count = 0; !isOver || count < tasksPerSecond * seconds; count += 1) {
      await pause(Math.max(0, startedAt + (count / tasksPerSecond) * 1000 - performance.now()));
      const task: LivedTask = { phase, milliseconds: null, problem: null };
      tasks.push(task);
      running.push(liveTask(b, task));
      if (phase === 'lives') running.push(a.create(request).then(({ task_id: taskId }) => void accepted.push(taskId)));
      if (phase === 'is dead') {
        whileDead.push({ path: 'a read of A', ...(await answerOf(world, '/v1/models', world.a.testKey)) });
        whileDead.push({ path: 'a link of B', ...(await answerOf(world, known.link)) });
      }
    }
    await working;
    await Promise.all(running);
  };
  await live('lives', async () => undefined);
  await world.killA();
  await live('is dead', async () => undefined);
  await live('comes back', () => world.reviveA());
  let left = accepted;
  const isDone = async (): Promise<boolean> => {
    const states = await Promise.all(
      left.map(async (taskId) => ({ taskId, task: await a.read(taskId).catch(() => null) })),
    );
    left = states.filter(({ task }) => task?.status !== 'completed').map(({ taskId }) => taskId);
    return left.length === 0;
  };
  await becomesTrueWithin(hangLimitMilliseconds, isDone, { everyMilliseconds: 1_000 });
  return { tasks, whileDead, leftOfA: { accepted: accepted.length, notCompleted: left.length } };
}

/** Creates a task, follows it by its stream and fetches its video. */
async function liveTask(client: ApiClient, task: LivedTask): Promise<void> {
  const startedAt = performance.now();
  try {
    const { task_id: taskId } = await client.create(request);
    const stream = await client.fetch(`/v1/videos/${taskId}/events`);
    const events = await stream.text();
    if (!events.includes('"status":"completed"')) throw new Error(`the stream of ${taskId} ended without its end`);
    await client.content(taskId);
    task.milliseconds = performance.now() - startedAt;
  } catch (error) {
    task.problem = error instanceof Error ? error.message : String(error);
  }
}

/** Sends requests of cell A while the line of its shard names cell B, then nobody, and then cell A again. */
async function moveShard(world: CellsWorld, report: (line: string) => void): Promise<CellsEvidence['moved']> {
  const known = await makeVideo(clientOf(world, 'a'));
  const shard = world.a.testKey.slice('kin_test_'.length, 'kin_test_'.length + 2);
  const moved: (Answer & { backend: string | null })[] = [];
  for (const backend of ['cell_b', 'moving', null]) {
    report(`the map names ${backend ?? 'cell_a'}`);
    const changing = world.setLine(backend && `^${shard} ${backend}`);
    let isChanged = false;
    void changing.then(() => (isChanged = true));
    for (let count = 0; count < secondsPerMap * requestsPerSecond; count += 1) {
      const [path, key] = count % 2 === 0 ? [`/v1/videos/${known.taskId}`, world.a.testKey] : [known.link];
      // The answer to a request that began before the change says nothing about the map after it.
      const backendNow = isChanged ? (backend ?? 'cell_a') : null;
      moved.push({ path, backend: backendNow, ...(await answerOf(world, path, key)) });
      await pause(1000 / requestsPerSecond);
    }
    await changing;
  }
  return moved;
}

async function answerOf(world: CellsWorld, path: string, key?: string): Promise<Omit<Answer, 'path'>> {
  const response = await fetch(new URL(path, world.url), {
    headers: { ...(key === undefined ? {} : bearer(key)), connection: 'close' },
  });
  const text = await response.text();
  const code = response.ok ? null : ((JSON.parse(text) as { error?: { code?: string } }).error?.code ?? null);
  return { status: response.status, code };
}

function clientOf({ url, ...world }: CellsWorld, cell: 'a' | 'b'): ApiClient {
  return createApiClient({ url, key: world[cell].testKey });
}

async function makeVideo(client: ApiClient): Promise<{ taskId: string; link: string }> {
  const { task_id: taskId } = await client.create(request);
  const task = await eventually('a video', async () => {
    const read = await client.read(taskId);
    return read.is_final ? read : null;
  });
  if (task.video_url === null) throw new Error(`${taskId} is ${task.status}`);
  return { taskId, link: task.video_url };
}
