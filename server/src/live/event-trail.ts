import type { TaskEvent } from '../domain/event.ts';
import { lowestUuidAt, uuidFromId } from '../domain/id.ts';

/** How far back every look goes: an id is made before its commit, so a smaller id may appear after a greater one. */
const overlapMilliseconds = 5_000;
/** How far back a thorough look goes, for commits that took very long and for clocks that disagree. */
const wideOverlapMilliseconds = 60_000;
const rememberedMilliseconds = 2 * wideOverlapMilliseconds;

/** Which events of one project have been told already, so that looking at the same stretch twice tells nothing twice. */
export class EventTrail {
  #readUpTo: number;
  /** Where to go on when one page did not reach the end. */
  #goOnAfter: string | null = null;
  readonly #sent = new Map<string, number>();

  constructor(now: Date) {
    this.#readUpTo = now.getTime();
  }

  /** The UUID after which the next look begins. */
  after(isWide: boolean): string {
    if (this.#goOnAfter !== null) return this.#goOnAfter;
    return lowestUuidAt(new Date(this.#readUpTo - (isWide ? wideOverlapMilliseconds : overlapMilliseconds)));
  }

  isNew(event: TaskEvent): boolean {
    return !this.#sent.has(event.id);
  }

  /** Notes what a look that began at `readAt` has found, once it was told. `isWhole`: there was nothing behind it. */
  note(found: readonly TaskEvent[], readAt: Date, isWhole: boolean): void {
    for (const event of found) this.#sent.set(event.id, event.createdAt.getTime());
    const last = found.at(-1);
    this.#goOnAfter = isWhole || !last ? null : uuidFromId('evt', last.id);
    if (this.#goOnAfter !== null) return;
    this.#readUpTo = readAt.getTime();
    for (const [id, at] of this.#sent) if (at < this.#readUpTo - rememberedMilliseconds) this.#sent.delete(id);
  }
}
