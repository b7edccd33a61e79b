import { residentBytes } from '@kinora/stack/harness/resident-bytes';

export interface MemoryWatch {
  /** Takes the present memory as the warm level, and starts to record the peak. */
  begin(): void;
  warmBytes(): number;
  peakBytes(): number;
  close(): void;
}

const sampleMilliseconds = 200;

/** Samples the resident memory of a process. */
export function watchMemory(pid: number | undefined): MemoryWatch {
  let warmBytes = 0;
  let peakBytes = 0;
  const sample = (): void => {
    peakBytes = Math.max(peakBytes, residentBytes(pid));
  };
  const timer = setInterval(sample, sampleMilliseconds);
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
