/** What a peer must do while the server waits for it. */
export interface PaceLimits {
  /** It must move at least a byte in this time. */
  silenceSeconds: number;
  /** It must move this many bytes per second on average over each window. */
  bytesPerSecond: number;
  windowSeconds: number;
}

/** The pace of a peer, which is judged once per second. */
export interface Pace {
  /** Seconds in a row in which the server waited for the peer. */
  waitedSeconds: number;
  silentSeconds: number;
  bytes: number;
  bytesAtWindowStart: number;
}

export function newPace(): Pace {
  return { waitedSeconds: 0, silentSeconds: 0, bytes: 0, bytesAtWindowStart: 0 };
}

/** Notes the bytes moved; returns whether the peer is too slow. Called each second, so a freeze is one slow second. */
export function isTooSlow(pace: Pace, limits: PaceLimits, isWaiting: boolean, bytes: number): boolean {
  const hasMoved = bytes !== pace.bytes;
  pace.bytes = bytes;
  if (!isWaiting) {
    pace.waitedSeconds = 0;
    pace.silentSeconds = 0;
    pace.bytesAtWindowStart = bytes;
    return false;
  }
  pace.silentSeconds = hasMoved ? 0 : pace.silentSeconds + 1;
  pace.waitedSeconds += 1;
  if (pace.silentSeconds >= limits.silenceSeconds) return true;
  if (pace.waitedSeconds < limits.windowSeconds) return false;
  const moved = bytes - pace.bytesAtWindowStart;
  pace.waitedSeconds = 0;
  pace.bytesAtWindowStart = bytes;
  return moved < limits.bytesPerSecond * limits.windowSeconds;
}
