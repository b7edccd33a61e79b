import { readdirSync } from 'node:fs';
import { readProcessStat } from './process-stat.ts';
import { signalProcess } from './processes.ts';

/** Stops a process and its descendants like a paused virtual machine, connections open. Returns what resumes them. */
export function freezeProcess(pid: number): () => void {
  const frozen = new Set<number>();
  // Parents come first, because a running process may still start children; then the search is repeated.
  for (let fresh = [pid]; fresh.length > 0; fresh = childrenOf(frozen)) {
    for (const each of fresh) {
      signalProcess(each, 'SIGSTOP');
      frozen.add(each);
    }
  }
  return () => {
    for (const each of frozen) signalProcess(each, 'SIGCONT');
  };
}

/** Returns the children of these processes that are not among them. */
function childrenOf(parents: ReadonlySet<number>): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && !parents.has(pid) && parents.has(readProcessStat(pid)?.parent ?? 0));
}
