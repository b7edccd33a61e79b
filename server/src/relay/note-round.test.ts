import { describe, expect, it } from 'vitest';
import { clockAt } from '../domain/clock.fixture.ts';
import { createLog } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { noteRound } from './note-round.ts';

describe('a round of the reconciler', () => {
  it('the time of the last round moves only if nothing failed, and failures are counted by step', async () => {
    const metrics = createMetrics();
    let seconds = 1_000;
    const log = createLog({ level: 'silent', roles: [] });
    const dependencies = { log, metrics, clock: clockAt(() => new Date(seconds * 1000)) };
    const failure = { step: 'recount', error: new Error('a time-out') };
    noteRound(dependencies, { findings: [], failures: [failure, failure] });
    expect(await metrics.render()).not.toContain('kinora_reconciler_last_round_timestamp_seconds');
    noteRound(dependencies, { findings: [{ kind: 'waited-too-long', taskId: 'task' }], failures: [] });
    seconds = 2_000;
    noteRound(dependencies, { findings: [], failures: [failure] });
    const lines = (await metrics.render()).split('\n');
    expect(lines).toContain('kinora_reconciler_last_round_timestamp_seconds 1000');
    expect(lines).toContain('kinora_reconciler_failures_total{step="recount"} 3');
    expect(lines).toContain('kinora_reconciler_findings_total{kind="waited-too-long"} 1');
    await metrics.close();
  });
});
