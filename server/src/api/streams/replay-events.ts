import { idFromUuid, lowestUuidAt, timeOfUuid } from '../../domain/id.ts';
import type { EventWithView } from '../../live/watched-project.ts';

/** Ids are made before the commit, so an event with a smaller id may appear after the last one that a reader saw. */
const overlapMilliseconds = 10_000;
/** Live events may repeat events from the table that happened at most this long before the stream was opened. */
const repeatedMilliseconds = 120_000;
const pageSize = 200;
const maximumHeldBack = 1_000;

interface Options {
  /** The UUID of the last event that the reader has seen; null if it wants only new events. */
  lastSeen: string | null;
  openedAt: Date;
  readPage: (after: string, limit: number) => Promise<{ events: EventWithView[]; next: string | null }>;
  /** Resolves to true when the reader is ready for more, and to false when it has disconnected. */
  send: (event: EventWithView) => Promise<boolean>;
}

/**
 * Sends missed events from the table, then live ones, without a gap. Those up to 10 s older than the last seen one are
 * repeated with the same id: delivery is at least once.
 */
export function replayEvents({ lastSeen, openedAt, readPage, send }: Options) {
  const sent = new Set<string>();
  let heldBack: EventWithView[] | null = lastSeen === null ? null : [];
  let hasOverflowed = false;

  return {
    /** Returns which of these events to send now; none while missed events are still being sent. */
    takeLive(events: readonly EventWithView[]): readonly EventWithView[] {
      if (heldBack === null) return events.filter(({ event }) => !sent.has(event.id));
      heldBack.push(...events);
      // Too many to hold back; the table has them as well.
      if (heldBack.length > maximumHeldBack) {
        heldBack = [];
        hasOverflowed = true;
      }
      return [];
    },

    /** Sends the missed events, then the live ones that were held back. */
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
