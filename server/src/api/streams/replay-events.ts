import { idFromUuid, lowestUuidAt, timeOfUuid } from '../../domain/id.ts';
import type { EventWithView } from '../../live/watched-project.ts';

/** An id is made before its commit, so a smaller one may have appeared after the last that a reader has seen. */
const overlapMilliseconds = 10_000;
/** For so long before the beginning the live events may repeat what the table gave. */
const repeatedMilliseconds = 120_000;
const pageSize = 200;
const maximumHeldBack = 1_000;

interface Options {
  /** The UUID of the last event that the reader has seen; null: it wants only what comes. */
  lastSeen: string | null;
  openedAt: Date;
  readPage: (after: string, limit: number) => Promise<{ events: EventWithView[]; next: string | null }>;
  /** Resolves when the reader is ready for more; false when it is gone. */
  send: (event: EventWithView) => Promise<boolean>;
}

/**
 * What was missed, from the table, and then what happens, without a gap and without telling twice what both give. Events a few
 * seconds older than the last seen one are told again: at least once, and the same id each time.
 */
export function replayEvents({ lastSeen, openedAt, readPage, send }: Options) {
  const sent = new Set<string>();
  let heldBack: EventWithView[] | null = lastSeen === null ? null : [];
  let hasOverflowed = false;

  return {
    /** Which of these are to be sent now; none while what was missed is still being sent. */
    takeLive(events: readonly EventWithView[]): readonly EventWithView[] {
      if (heldBack === null) return events.filter(({ event }) => !sent.has(event.id));
      heldBack.push(...events);
      // Too many to hold: they are in the table as well.
      if (heldBack.length > maximumHeldBack) {
        heldBack = [];
        hasOverflowed = true;
      }
      return [];
    },

    /** Sends what was missed, then what was held back meanwhile. */
    async run(sendLive: (events: readonly EventWithView[]) => void): Promise<void> {
      if (lastSeen === null) return;
      sent.add(idFromUuid('evt', lastSeen));
      let after = shortlyBefore(lastSeen);
      for (let isBehind = true; isBehind; ) {
        hasOverflowed = false;
        const page = await readPage(after, pageSize);
        for (const one of page.events) {
          if (sent.has(one.event.id)) continue;
          if (!(await send(one))) return;
          const isRecent = one.event.createdAt.getTime() > openedAt.getTime() - repeatedMilliseconds;
          if (isRecent) sent.add(one.event.id);
        }
        after = hasOverflowed ? shortlyBefore(page.next ?? after) : (page.next ?? after);
        isBehind = page.next !== null || hasOverflowed;
      }
      const events = heldBack ?? [];
      heldBack = null;
      sendLive(events.filter(({ event }) => !sent.has(event.id)));
    },
  };
}

function shortlyBefore(uuid: string): string {
  return lowestUuidAt(new Date(Math.max(0, timeOfUuid(uuid).getTime() - overlapMilliseconds)));
}
