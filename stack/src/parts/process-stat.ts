import { readFileSync } from 'node:fs';

/** What /proc/PID/stat says of a process. */
interface ProcessStat {
  /** R, S and so on; Z and X if the process has exited. */
  state: string;
  parent: number;
  session: number;
  /** CPU time of the process itself, in steps of 10 ms. */
  ownCpuMilliseconds: number;
  /** CPU time of its children that have exited and were waited for, and of theirs. */
  exitedChildrenCpuMilliseconds: number;
}

/** A clock tick in /proc, the same on every Linux that Node runs on. */
const tickMilliseconds = 10;

/** Returns null if there is no such process. */
export function readProcessStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The second field is a name in parentheses that may contain spaces, so the fields are counted from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const milliseconds = (index: number): number => Number(fields[index]) * tickMilliseconds;
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    session: Number(fields[3]),
    ownCpuMilliseconds: milliseconds(11) + milliseconds(12),
    exitedChildrenCpuMilliseconds: milliseconds(13) + milliseconds(14),
  };
}
