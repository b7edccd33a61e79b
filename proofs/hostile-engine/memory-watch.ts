import { readFileSync } from 'node:fs';

export interface MemoryWatch {
  /** From here on the most counts. */
  begin(): void;
  warmBytes(): number;
  peakBytes(): number;
  close(): void;
}

const lookMilliseconds = 200;

/** Looks again and again at how much memory a process has. */
export function watchMemory(pid: number): MemoryWatch {
  let warmBytes = 0;
  let peakBytes = 0;
  const look = (): void => {
    peakBytes = Math.max(peakBytes, residentBytes(pid));
  };
  const timer = setInterval(look, lookMilliseconds);
  return {
    begin: () => {
      warmBytes = residentBytes(pid);
      peakBytes = warmBytes;
    },
    warmBytes: () => warmBytes,
    peakBytes: () => peakBytes,
    close: () => clearInterval(timer),
  };
}

/** 0 for a process that is gone. */
function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
