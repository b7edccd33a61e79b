/** Returns the CPU time of this thread so far. Tests limit this instead of elapsed time, which depends on the machine's load. */
export function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
