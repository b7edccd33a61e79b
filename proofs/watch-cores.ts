import { cpus } from 'node:os';

/** Returns a function that returns the share of the machine's cores that was busy since this call, from 0 to 1. */
export function watchCores(): () => number {
  const before = coreMilliseconds();
  return () => {
    const now = coreMilliseconds();
    const total = now.total - before.total;
    return total === 0 ? 0 : Math.round((1 - (now.idle - before.idle) / total) * 100) / 100;
  };
}

function coreMilliseconds(): { idle: number; total: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  return { idle, total: times.reduce((sum, core) => sum + core.user + core.nice + core.sys + core.irq + core.idle, 0) };
}
