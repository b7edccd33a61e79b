import type { CheckResult, Step, StepResult } from './step.ts';

export const tests: Step = { name: 'e2e', lane: 'b', command: ['vitest', 'run'], reports: 'vitest' };
export const proofs: Step = { name: 'proofs', lane: 'b', command: ['node', 'proofs/prove.ts'], reports: 'ours' };
export const statics: Step = {
  name: 'static checks',
  lane: 'a',
  command: ['node', 'scripts/check.ts'],
  reports: 'ours',
  isDeterministic: true,
};

export const passed = (file: string, name: string): CheckResult => ({ file, name, status: 'passed', message: '' });
export const failed = (file: string, name: string): CheckResult => ({ file, name, status: 'failed', message: 'no' });
export const skipped = (file: string, name: string): CheckResult => ({ file, name, status: 'skipped', message: '' });

export function resultOf(step: Step, ...checks: CheckResult[]): StepResult {
  return { step, seconds: 1, cpuSeconds: 1, checks, figures: {} };
}
