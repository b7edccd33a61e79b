/** A timer of a relay. */
export interface TimerRun {
  name: string;
  everySeconds: number;
  /** When it ended well last; null if it never has. */
  endedAt: string | null;
}

/** 15 s: a process reports every 5 s. */
const silentAfterSeconds = 15;

/** Whether a process has not reported for so long that it is frozen, cut off or dead. */
export function isSilent({ silentSeconds }: { silentSeconds: number }): boolean {
  return silentSeconds >= silentAfterSeconds;
}
