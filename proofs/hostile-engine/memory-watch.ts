import { residentBytes } from '@kinora/stack/harness/resident-bytes';

export interface MemoryWatch {
  /** From here on the most counts. */
  begin(): void;
  warmBytes(): number;
  peakBytes(): number;
  close(): void;
}

const lookMilliseconds = 200;

/** Looks again and again at how much memory a process has. */
export function watchMemory(pid: number | undefined): MemoryWatch {
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
