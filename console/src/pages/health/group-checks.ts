import type { DoctorCheck } from '../../api/health.ts';

export interface CheckGroup {
  status: DoctorCheck['status'];
  title: string;
  checks: DoctorCheck[];
}

const titles: readonly [DoctorCheck['status'], string][] = [
  ['failed', 'Failed'],
  ['warning', 'Warnings'],
  ['skipped', 'Not checked'],
  ['ok', 'Passed'],
];

/** Returns the checks of a report in groups, the worst first. Empty groups are left out. */
export function groupChecks(checks: readonly DoctorCheck[]): CheckGroup[] {
  return titles
    .map(([status, title]) => ({ status, title, checks: checks.filter((check) => check.status === status) }))
    .filter((group) => group.checks.length > 0);
}

/** Returns the result of a report in one sentence. */
export function summarise(checks: readonly DoctorCheck[]): string {
  const count = (status: DoctorCheck['status']) => checks.filter((check) => check.status === status).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  if (failed === 0 && warnings === 0) return `All ${checks.length} checks passed.`;
  const found = [
    failed > 0 && `${failed} ${failed === 1 ? 'failure' : 'failures'}`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean);
  return `${checks.length} checks found ${found.join(' and ')}.`;
}
