import type { CheckResult, Step, StepResult } from './step.ts';

/** A failed file, which is repeated once, alone. */
export interface Repeat {
  step: Step;
  file: string;
}

/** More flaky tests than this fail a run, so the files of more failed tests than this are not repeated. */
export const mostFlaky = 3;

/** Chooses what to repeat: the files of failed tests, unless the run has failed whatever their second result. */
export function planRepeats(results: readonly StepResult[], isSeeded: (file: string) => boolean): Repeat[] {
  const failures = results.flatMap(({ step, checks }) => failedOf(checks).map(({ file }) => ({ step, file })));
  const isFinal = ({ step, file }: Repeat): boolean =>
    step.isDeterministic === true || step.reports === 'status' || file === step.name || isSeeded(file);
  if (failures.length > mostFlaky || failures.some(isFinal)) return [];
  return failures.filter(
    ({ step, file }, index) => index === failures.findIndex((one) => one.step === step && one.file === file),
  );
}

export function countChecks(checks: readonly CheckResult[]): Record<CheckResult['status'], number> {
  const count = (status: CheckResult['status']): number => checks.filter((check) => check.status === status).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

export function failedOf(checks: readonly CheckResult[]): CheckResult[] {
  return checks.filter(({ status }) => status === 'failed');
}

/** Returns how to run one file or proof of a step again, and the name of that run. */
export function repeatRun({ step, file }: Repeat): Pick<Step, 'command' | 'name'> {
  const name = `repeated ${file}`;
  if (step.reports === 'vitest') return { name, command: [...step.command, file] };
  return { name, command: ['node', 'proofs/prove.ts', file.replace('proofs/', ''), '--tier', 'gate'] };
}
