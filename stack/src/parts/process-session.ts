import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from './processes.ts';

/** Ticks of a second in /proc; the same on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

/** What belongs to the session that `leader` began, itself included: its children stay in it even when it has died. */
export function processesOfSession(leader: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readNumbers(pid)?.session === leader && isAlive(pid));
}

/** The processor time that a session has used up to now, of its living processes and of those they have seen end. */
export function cpuSecondsOfSession(leader: number): number {
  const ticks = processesOfSession(leader).map((pid) => readNumbers(pid)?.ticks ?? 0);
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_A_SECOND;
}

/** From /proc/PID/stat, whose second field is a name that may hold spaces: fields are counted from behind it. */
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
