import { countChecks, failedOf, mostFlaky } from './plan-repeats.ts';
import type { CheckResult, StepResult } from './step.ts';

export interface GateVerdict {
  /** The last result of every check. */
  checks: CheckResult[];
  passed: number;
  failed: CheckResult[];
  skipped: number;
  /** Tests that failed and passed when their file was repeated alone. */
  flaky: string[];
}

/** Adds up the results, those of repeated files in place of the first. More than three flaky tests fail the run. */
export function judgeGate(results: readonly StepResult[], repeats: readonly StepResult[]): GateVerdict {
  const flaky: CheckResult[] = [];
  const checks = results.flatMap((result) => {
    const isOfStep = ({ step }: StepResult): boolean => step.name === result.step.name;
    const mended = repeats.filter((repeat) => isOfStep(repeat) && failedOf(repeat.checks).length === 0);
    const again = mended.flatMap((repeat) => repeat.checks);
    const isRepeated = ({ file }: CheckResult): boolean => again.some((check) => check.file === file);
    flaky.push(...failedOf(result.checks).filter(isRepeated));
    return [...result.checks.filter((check) => !isRepeated(check)), ...again];
  });
  const failed = failedOf(checks);
  if (flaky.length > mostFlaky) {
    const message = `${flaky.length} tests passed only when they were repeated; at most ${mostFlaky} may`;
    failed.push({ file: 'gate', name: 'flaky tests', status: 'failed', message });
  }
  const { passed, skipped } = countChecks(checks);
  return { checks, passed, failed, skipped, flaky: flaky.map(({ file, name }) => `${file}: ${name}`) };
}
