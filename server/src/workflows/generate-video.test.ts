import { temporal } from '@temporalio/proto';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { readHistories } from './histories.fixture.ts';
import { bundleWorkflows, installQuietRuntime } from './workflow-runtime.fixture.ts';

const recorded = await readHistories();
let workflowBundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  installQuietRuntime();
  workflowBundle = await bundleWorkflows();
}, 30_000);

const replay = (history: object) =>
  Worker.runReplayHistory({ workflowBundle }, temporal.api.history.v1.History.fromObject(history));

describe('a workflow that was started by an earlier version', () => {
  it('has left at least one recorded history', () => {
    expect(recorded.length).toBeGreaterThan(0);
  });

  it.each(recorded)('goes on under this one: $name', async ({ history }) => {
    await expect(replay(history)).resolves.toBeUndefined();
  });

  it('would be seen if it did not: a history of other activities is refused', async () => {
    const { history } = recorded.find(({ name }) => name.startsWith('generate-video')) ?? { history: {} };
    const doctored: unknown = JSON.parse(JSON.stringify(history).replaceAll('"finish"', '"publish"'));
    await expect(replay(Object(doctored))).rejects.toThrow(/nondeterminism/i);
  });
});
