import { readdirSync, readFileSync } from 'node:fs';

/** Returns the boxed children of a process, which are children of its kinora-media, for tests and measurements. */
export function boxedChildren(pid: number): number[] {
  return mediaProcesses(pid)
    .flatMap(childrenOf)
    .filter((child) => programOf(child) !== 'kinora-media');
}

/** Returns the kinora-media processes that a process has started, oldest first. */
export function mediaProcesses(pid: number): number[] {
  return childrenOf(pid).filter((child) => programOf(child) === 'kinora-media');
}

/** Returns the name of the program that a process runs; empty if it has ended. */
export function programOf(pid: number): string {
  const [path = ''] = read(`/proc/${pid}/cmdline`).split('\0');
  return path.slice(path.lastIndexOf('/') + 1);
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Returns an empty text if the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
