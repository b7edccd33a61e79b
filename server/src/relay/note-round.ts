import type { Clock } from '../domain/clock.ts';
import type { Round } from '../operations/upkeep/reconcile.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface Dependencies {
  log: Log;
  metrics: Pick<Metrics, 'reconcilerFinding' | 'workflowOutgrown' | 'reconcilerFailure' | 'reconcilerRound'>;
  clock: Clock;
}

/** Logs and counts what a round of the reconciler found, and what failed in it. */
export function noteRound({ log, metrics, clock }: Dependencies, { findings, failures }: Round): void {
  for (const finding of findings) {
    metrics.reconcilerFinding(finding.kind);
    if (finding.kind === 'outgrown') metrics.workflowOutgrown(finding.version);
    // Admitting tasks is routine after the running limit was raised. Every other finding deserves a warning.
    if (finding.kind === 'admitted') log.info({ event: 'reconciler.finding', ...finding }, 'reconciler finding');
    else log.warn({ event: 'reconciler.finding', ...finding }, 'reconciler finding');
  }
  for (const { step } of failures) metrics.reconcilerFailure(step);
  for (const [step, ofStep] of Map.groupBy(failures, ({ step }) => step)) {
    const err = ofStep[0]?.error;
    log.warn({ event: 'reconciler.step_failed', err, step, failures: ofStep.length }, 'reconciler step failed');
  }
  if (failures.length === 0) metrics.reconcilerRound(clock.now());
}
