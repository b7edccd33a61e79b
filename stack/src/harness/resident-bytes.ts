import { readFileSync } from 'node:fs';

/** The memory that a process has at this moment; 0 if it is gone. */
export function residentBytes(pid: number | undefined): number {
  try {
    return kilobytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') * 1024;
  } catch {
    return 0;
  }
}

/** A field of /proc/…/status. */
export function kilobytesIn(status: string, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
}
