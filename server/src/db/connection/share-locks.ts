/** 5 s: several rounds of every session, so nobody who has room for the lock wants it. */
const unclaimedMilliseconds = 5_000;
/** 60 s: sessions that want different locks, as while a models file is rolled out, do not hand one to and fro. */
const keepMilliseconds = 60_000;

/** The locks that a session wants, as it finds them in one round. */
export interface LocksFound {
  /** The names that this session wants, most preferred first. */
  wanted: readonly string[];
  own: ReadonlySet<string>;
  /** Those that other sessions hold. */
  others: ReadonlySet<string>;
  /** All sessions of the group, oldest first. */
  sessions: readonly number[];
  self: number;
}

/**
 * Shares locks out without a coordinator: each session knows its place in its group, gives up what exceeds its share
 * and takes free locks up to it. A lock that stays free goes to any session that wants it. `isSettled`: time alone changes
 * nothing.
 */
export function createShareLocks(): (
  found: LocksFound,
  now: number,
) => { giveUp: string[]; take: string[]; isSettled: boolean } {
  let freeSince = new Map<string, number>();
  const keepUntil = new Map<string, number>();
  return ({ wanted, own, others, sessions, self }, now) => {
    const free = wanted.filter((name) => !own.has(name) && !others.has(name));
    freeSince = new Map(free.map((name) => [name, freeSince.get(name) ?? now]));
    for (const [name, until] of keepUntil) if (!own.has(name) || until <= now) keepUntil.delete(name);
    const share = shareOf(wanted.length, sessions, self);
    const counted = wanted.filter((name) => own.has(name) && !keepUntil.has(name));
    const room = Math.max(0, share - counted.length);
    const unclaimed = free.slice(room).filter((name) => now - (freeSince.get(name) ?? now) >= unclaimedMilliseconds);
    for (const name of unclaimed) keepUntil.set(name, now + keepMilliseconds);
    const giveUp = counted.slice(share);
    const isSettled = free.length === 0 && giveUp.length === 0 && keepUntil.size === 0;
    return { giveUp, take: [...free.slice(0, room), ...unclaimed], isSettled };
  };
}

/** The shares of all sessions add up to the count; the first sessions get one more if it cannot be divided evenly. */
function shareOf(count: number, sessions: readonly number[], self: number): number {
  const divisor = Math.max(1, sessions.length);
  return Math.floor(count / divisor) + (sessions.indexOf(self) < count % divisor ? 1 : 0);
}
