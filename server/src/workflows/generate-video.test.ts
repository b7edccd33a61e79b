import { temporal } from '@temporalio/proto';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { readHistories } from './histories.fixture.ts';
import { installQuietRuntime } from './workflow-runtime.fixture.ts';

const recorded = await readHistories();
let workflowBundle: WorkflowBundleOption;

beforeAll(async () => {
  installQuietRuntime();
  workflowBundle = await openWorkflowBundle();
});

const replay = (history: object) =>
  Worker.runReplayHistory({ workflowBundle }, temporal.api.history.v1.History.fromObject(history));

describe('a workflow that was started by an earlier version', () => {
  it('at least one history is recorded', () => {
    expect(recorded.length).toBeGreaterThan(0);
  });

  it.each(recorded)('the current version replays the history $name', async ({ history }) => {
    await expect(replay(history)).resolves.toBeUndefined();
  });

  it('the replay refuses a history with other activities', async () => {
    const { history } = recorded.find(({ name }) => name.startsWith('generate-video')) ?? { history: {} };
    const doctored: unknown = JSON.parse(JSON.stringify(history).replaceAll('"finish"', '"publish"'));
    await expect(replay(Object(doctored))).rejects.toThrow(/nondeterminism/i);
  });
});
