import { readFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { readHistories } from './histories.fixture.ts';
import { installQuietRuntime } from './workflow-runtime.fixture.ts';

installQuietRuntime();
const recorded = await readHistories();
const workflowBundle = await openWorkflowBundle();

const replay = (history: object, options = {}) =>
  Worker.runReplayHistory({ workflowBundle, ...options }, temporal.api.history.v1.History.fromObject(history));

describe('a workflow that was started by an earlier version', () => {
  it.each(recorded)('the current version replays the history $name', async ({ history }) => {
    await expect(replay(history)).resolves.toBeUndefined();
  });

  it('the replay refuses a history with other activities', async () => {
    const { history } = recorded.find(({ name }) => name === 'generate-video-1') ?? { history: {} };
    const doctored: unknown = JSON.parse(JSON.stringify(history).replaceAll('"finish"', '"publish"'));
    await expect(replay(Object(doctored))).rejects.toThrow(/nondeterminism/i);
  });
});

describe('the recorded histories', () => {
  it('together they take every branch of every workflow', async () => {
    const code = 'code' in workflowBundle ? workflowBundle.code : await readFile(workflowBundle.codePath, 'utf8');
    const blocks = await blocksRun(code.length, async () => {
      for (const { history } of recorded) await replay(history, { debugMode: true }); // in this thread, which is profiled
    });
    const ours = (
      await Promise.all(['generate-video', 'deliver-webhook'].map((name) => functionsOf(code, name)))
    ).flat();
    const isOurs = ({ startOffset, endOffset }: Block): boolean =>
      ours.some((one) => startOffset >= one.startOffset && endOffset <= one.endOffset);
    const branches = blocks.filter(isOurs);
    expect(branches.length).toBeGreaterThan(ours.length);
    const neverTaken = branches.filter(({ count }) => count === 0);
    expect(neverTaken.map(({ startOffset, endOffset }) => code.slice(startOffset, endOffset))).toEqual([]);
  });
});

type Block = Profiler.CoverageRange;

/** Where the functions of a workflow's module are in the bundle, without the helpers that the compiler adds. */
async function functionsOf(code: string, name: string): Promise<Omit<Block, 'count'>[]> {
  const source = await readFile(new URL(`${name}.ts`, import.meta.url), 'utf8');
  const from = code.indexOf(`!*** ./server/src/workflows/${name}.ts ***!`);
  return [...source.matchAll(/function \w+\(/g)].map(([declaration]) => {
    const startOffset = code.indexOf(declaration, from);
    const endOffset = code.indexOf('\n}\n', startOffset);
    if (from < 0 || startOffset < 0 || endOffset < 0) throw new Error(`the bundle has no ${declaration} of ${name}`);
    return { startOffset, endOffset };
  });
}

/** Returns the blocks of the script of the given length, with how often each ran in the work. */
async function blocksRun(length: number, work: () => Promise<void>): Promise<Block[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const bundle = result.find(({ functions }) => functions[0]?.ranges[0]?.endOffset === length);
  if (!bundle) throw new Error('the profile has no script of the length of the bundle');
  return bundle.functions.flatMap(({ ranges }) => ranges);
}
