import { expect, test } from 'vitest';
import type { DoctorCheck } from '../../api/health.ts';
import { groupChecks, summarise } from './group-checks.ts';

function check(name: string, status: DoctorCheck['status']): DoctorCheck {
  return { name, status, message: '', advice: null };
}

test('what failed comes before what is in order', () => {
  const checks = [
    check('settings', 'ok'),
    check('engines', 'failed'),
    check('animatic', 'ok'),
    check('store', 'warning'),
  ];
  expect(groupChecks(checks).map(({ status, checks: of }) => [status, of.map(({ name }) => name)])).toEqual([
    ['failed', ['engines']],
    ['warning', ['store']],
    ['ok', ['settings', 'animatic']],
  ]);
  expect(summarise(checks)).toBe('4 checks found 1 failure and 1 warning.');
});

test('a report without problems says so', () => {
  expect(summarise([check('settings', 'ok'), check('store', 'ok')])).toBe('All 2 checks passed.');
});
