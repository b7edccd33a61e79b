import { countChecks, failedOf, mostFlaky } from './plan-repeats.ts';
import type { CheckResult, StepResult } from './step.ts';

interface FailedCheck extends CheckResult {
  step: string;
}

export interface GateVerdict {
  passed: number;
  failed: FailedCheck[];
  skipped: number;
  /** Tests that failed and passed when their file was repeated alone. */
  flaky: string[];
}

/**
 * Adds up the first results and those of the repeated files. A test that failed and then passed is flaky and counts as
 * passed, unless there are more than three.
 */
export function judgeGate(results: readonly StepResult[], repeats: readonly StepResult[]): GateVerdict {
  const checks = results.flatMap(({ step, checks }) => checks.map((check) => ({ ...check, step: step.name })));
  const firstFailures = checks.filter(({ status }) => status === 'failed');
  const isMended = ({ step, file }: FailedCheck): boolean =>
    repeats.some(
      (repeat) =>
        repeat.step.name === step &&
        repeat.checks.some((check) => check.file === file) &&
        failedOf(repeat.checks).length === 0,
    );
  const flaky = firstFailures.filter(isMended);
  const failed = firstFailures.filter((check) => !isMended(check));
  if (flaky.length > mostFlaky) {
    const message = `${flaky.length} tests passed only when they were repeated; at most ${mostFlaky} may`;
    failed.push({ step: 'gate', file: 'gate', name: 'flaky tests', status: 'failed', message });
  }
  const { passed, skipped } = countChecks(checks);
  return {
    passed: passed + flaky.length,
    failed,
    skipped,
    flaky: flaky.map(({ file, name }) => `${file}: ${name}`),
  };
}
