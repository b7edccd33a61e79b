import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessStat } from '@kinora/stack/parts/process-stat';

/** A cgroup that limits how much CPU time one process gets. */
export interface CpuCage {
  /** CPU time of the process so far, in seconds. */
  cpuSeconds(): number;
  /** In how many periods the process had used its share up and had to wait. */
  throttledPeriods(): number;
  /** Removes the cgroup. Call it after the process has exited. */
  remove(): void;
}

const periodMicroseconds = 100_000;

/** Confines a process to a share of one core; throws if the machine has no cgroup that this user may create. */
export function confine(pid: number, cores: number): CpuCage {
  const { parent, limit } = findController();
  const folder = join(parent, `kinora-siege-${pid}`);
  try {
    mkdirSync(folder);
    for (const [file, value] of Object.entries(limit(Math.round(cores * periodMicroseconds))))
      writeFileSync(join(folder, file), value);
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch (error) {
    throw new Error(`no cgroup could be made in ${parent}; run this proof as root`, { cause: error });
  }
  return {
    cpuSeconds: () => (readProcessStat(pid)?.ownCpuMilliseconds ?? 0) / 1000,
    throttledPeriods: () =>
      Number(/^nr_throttled (\d+)$/m.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8'))?.[1] ?? 0),
    remove: () => rmdirSync(folder),
  };
}

/** Finds the CPU controller of cgroup v1 or v2 and the files that set its limit. */
function findController(): { parent: string; limit: (quota: number) => Record<string, string> } {
  const first = '/sys/fs/cgroup/cpu';
  if (existsSync(join(first, 'cpu.cfs_quota_us'))) {
    return {
      parent: first,
      limit: (quota) => ({ 'cpu.cfs_period_us': String(periodMicroseconds), 'cpu.cfs_quota_us': String(quota) }),
    };
  }
  const second = '/sys/fs/cgroup';
  const control = join(second, 'cgroup.subtree_control');
  if (!existsSync(control)) throw new Error('this machine has no CPU controller of cgroups');
  if (!readFileSync(control, 'utf8').includes('cpu ')) writeFileSync(control, '+cpu');
  return { parent: second, limit: (quota) => ({ 'cpu.max': `${quota} ${periodMicroseconds}` }) };
}
