import { getSystemErrorName } from 'node:util';
import { UnsafeMachine } from './unsafe-machine.ts';

/**
 * How children are isolated, weakest first. `limits`: only resource limits. `confined`: Landlock leaves a child its job
 * folder, its program and libraries; seccomp leaves it no socket, no other process and no new program. `namespaces`:
 * besides, it has a network, mount, IPC and PID namespace without anything in it.
 */
export const isolations = ['limits', 'confined', 'namespaces'] as const;
export type Isolation = (typeof isolations)[number];

/** What kinora-media found out about the kernel; 0 means no error. */
export interface KernelReport {
  /** The version of Landlock, or 0 if the kernel has none. */
  landlock: number;
  landlockError: number;
  seccompError: number;
  namespacesError: number;
}

export function isolationOf(report: KernelReport): Isolation {
  if (report.landlockError !== 0 || report.seccompError !== 0) return 'limits';
  return report.namespacesError === 0 ? 'namespaces' : 'confined';
}

/** Throws `UnsafeMachine` if the kernel allows less than the minimum. */
export function requireIsolation(report: KernelReport, minimum: Isolation): void {
  const reached = isolationOf(report);
  if (isolations.indexOf(reached) >= isolations.indexOf(minimum)) return;
  const remedies = [
    report.landlockError !== 0 &&
      `Landlock failed (${nameOf(report.landlockError)}): use Linux 5.13 or later with "landlock" in the kernel option ` +
        '"lsm", and a container runtime whose seccomp profile allows landlock_create_ruleset, landlock_add_rule and ' +
        'landlock_restrict_self, as the default profiles of recent Docker and containerd do.',
    report.seccompError !== 0 &&
      `seccomp failed (${nameOf(report.seccompError)}): use a kernel with CONFIG_SECCOMP_FILTER, and a container ` +
        'runtime whose seccomp profile allows seccomp.',
    minimum === 'namespaces' &&
      report.namespacesError !== 0 &&
      `namespaces failed (${nameOf(report.namespacesError)}): set the sysctl user.max_user_namespaces above 0, and ` +
        'kernel.unprivileged_userns_clone=1 on Debian; on Ubuntu set kernel.apparmor_restrict_unprivileged_userns=0, ' +
        'or give kinora-media an AppArmor profile with the rule "userns,"; in a container use a seccomp profile that ' +
        'allows unshare and mount.',
  ].filter((remedy) => remedy !== false);
  throw new UnsafeMachine(
    `Child processes would be isolated by "${reached}", but KINORA_MINIMUM_ISOLATION is "${minimum}".\n` +
      remedies.map((remedy) => `- ${remedy}\n`).join('') +
      `Or set KINORA_MINIMUM_ISOLATION=${reached}; docs/security/threat-model.md says what a compromised child could do then.`,
  );
}

function nameOf(errno: number): string {
  return getSystemErrorName(-errno);
}
