import { describe, expect, it } from 'vitest';
import { judgeWorkflow } from './check-silent.ts';

const taskId = 'task';

describe('what the reconciler does about the workflow of an open task', () => {
  it.each([
    { state: 'running', restarts: 2, outgrownBy: null, finding: null },
    { state: 'stuck', restarts: 2, outgrownBy: null, finding: { kind: 'stuck', taskId } },
    { state: 'failed', restarts: 1, outgrownBy: null, finding: { kind: 'restarted', taskId, state: 'failed' } },
    { state: 'missing', restarts: 1, outgrownBy: null, finding: { kind: 'restarted', taskId, state: 'missing' } },
    { state: 'completed', restarts: 1, outgrownBy: null, finding: { kind: 'completed-without-end', taskId } },
    { state: 'failed', restarts: 2, outgrownBy: null, finding: { kind: 'given-up', taskId, state: 'failed' } },
    { state: 'completed', restarts: 2, outgrownBy: null, finding: { kind: 'given-up', taskId, state: 'completed' } },
    { state: 'failed', restarts: 2, outgrownBy: '2.0.0', finding: { kind: 'outgrown', taskId, version: '2.0.0' } },
  ] as const)('$state after $restarts restarts, outgrown by $outgrownBy: $finding.kind', (one) => {
    expect(judgeWorkflow({ taskId, restarts: one.restarts }, one.state, one.outgrownBy)).toEqual(one.finding);
  });
});
