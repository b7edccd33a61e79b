import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from './processes.ts';

/** Clock ticks per second in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the processes of the session that `leader` started, itself included. The children stay in the session even if
 * the leader dies.
 */
export function processesOfSession(leader: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readNumbers(pid)?.session === leader && isAlive(pid));
}

/** Returns the processor time that a session has used so far: by its living processes and the children they reaped. */
export function cpuSecondsOfSession(leader: number): number {
  const ticks = processesOfSession(leader).map((pid) => readNumbers(pid)?.ticks ?? 0);
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** Reads /proc/PID/stat. Its second field is a name that may contain spaces, so fields are counted from its end. */
function readNumbers(pid: number): { session: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
    const ticks = (user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0);
    return { session: Number(fields[3]), ticks };
  } catch {
    return null;
  }
}
