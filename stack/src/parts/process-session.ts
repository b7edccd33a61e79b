import { readdirSync } from 'node:fs';
import { readProcessStat } from './process-stat.ts';
import { isAlive } from './processes.ts';

/** Returns the processes of the session of `leader`; the children stay in it even if the leader dies. */
export function processesOfSession(leader: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readProcessStat(pid)?.session === leader && isAlive(pid));
}

/** Returns the processor time that a session has used so far: by its living processes and the children they reaped. */
export function cpuSecondsOfSession(leader: number): number {
  const milliseconds = processesOfSession(leader).map((pid) => {
    const stat = readProcessStat(pid);
    return stat ? stat.ownCpuMilliseconds + stat.exitedChildrenCpuMilliseconds : 0;
  });
  return milliseconds.reduce((sum, each) => sum + each, 0) / 1000;
}
