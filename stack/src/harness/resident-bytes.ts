import { readFileSync } from 'node:fs';

/** Returns the memory that a process uses at this moment; 0 if the process has exited. */
export function residentBytes(pid: number | undefined): number {
  try {
    return kilobytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') * 1024;
  } catch {
    return 0;
  }
}

/** Reads a field of /proc/…/status; 0 if it is missing. */
export function kilobytesIn(status: string, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
}
