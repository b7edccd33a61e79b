import type { TaskEvent } from '../domain/event.ts';
import { lowestUuidAt, uuidFromId } from '../domain/id.ts';

/** Ids are created before their commit, so a smaller one may appear after a greater one: reads start this far back. */
const overlapMilliseconds = 5_000;
/** How far back a wide read goes, for commits that took very long and for clocks that disagree. */
const wideOverlapMilliseconds = 60_000;
const rememberedMilliseconds = 2 * wideOverlapMilliseconds;

/** Tracks which events of one project were sent, so that reads may overlap and still no event is sent twice. */
export class EventTrail {
  #readUpTo: number;
  /** Where the next read continues if one page did not reach the end. */
  #continueAfter: string | null = null;
  readonly #sent = new Map<string, number>();

  constructor(now: Date) {
    this.#readUpTo = now.getTime();
  }

  /** Returns the UUID after which the next read begins. */
  after(isWide: boolean): string {
    if (this.#continueAfter !== null) return this.#continueAfter;
    return lowestUuidAt(new Date(this.#readUpTo - (isWide ? wideOverlapMilliseconds : overlapMilliseconds)));
  }

  isNew(event: TaskEvent): boolean {
    return !this.#sent.has(event.id);
  }

  /** Records the events of a read that began at `readAt`. `isWhole` means that the read reached the end. */
  note(found: readonly TaskEvent[], readAt: Date, isWhole: boolean): void {
    for (const event of found) this.#sent.set(event.id, event.createdAt.getTime());
    const last = found.at(-1);
    this.#continueAfter = isWhole || !last ? null : uuidFromId('evt', last.id);
    if (this.#continueAfter !== null) return;
    this.#readUpTo = readAt.getTime();
    for (const [id, at] of this.#sent) if (at < this.#readUpTo - rememberedMilliseconds) this.#sent.delete(id);
  }
}
