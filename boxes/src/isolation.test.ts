import { expect, it } from 'vitest';
import { isolationOf, type KernelReport, requireIsolation } from './isolation.ts';

const strong: KernelReport = { landlock: 7, landlockError: 0, seccompError: 0, namespacesError: 0 };
const [permission, unknownCall, noSpace] = [1, 38, 28];

it('the isolation is what Landlock, seccomp and namespaces allow together', () => {
  expect(isolationOf(strong)).toBe('namespaces');
  expect(isolationOf({ ...strong, namespacesError: noSpace })).toBe('confined');
  expect(isolationOf({ ...strong, landlock: 0, landlockError: unknownCall })).toBe('limits');
  expect(isolationOf({ ...strong, seccompError: permission })).toBe('limits');
});

it.each([
  ['confined', { landlock: 0, landlockError: unknownCall }, 'Landlock failed (ENOSYS)', 'landlock_restrict_self'],
  ['confined', { seccompError: permission }, 'seccomp failed (EPERM)', 'CONFIG_SECCOMP_FILTER'],
  ['namespaces', { namespacesError: noSpace }, 'namespaces failed (ENOSPC)', 'user.max_user_namespaces'],
  ['namespaces', { namespacesError: permission }, 'namespaces failed (EPERM)', 'apparmor_restrict_unprivileged_userns'],
] as const)(
  'below the minimum "%s", a start fails with the cause and what to change: %j',
  (minimum, weak, ...texts) => {
    for (const text of texts) expect(() => requireIsolation({ ...strong, ...weak }, minimum)).toThrow(text);
  },
);

it('what the operator does not require may be missing', () => {
  const weak = { landlock: 0, landlockError: unknownCall, seccompError: permission, namespacesError: permission };
  expect(() => requireIsolation(weak, 'limits')).not.toThrow();
  expect(() => requireIsolation({ ...strong, namespacesError: permission }, 'confined')).not.toThrow();
});
