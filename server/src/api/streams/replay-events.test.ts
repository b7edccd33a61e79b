import { describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { EventWithView } from '../../live/watched-project.ts';
import { task } from '../app.fixture.ts';
import { replayEvents } from './replay-events.ts';

const now = Date.now();
const eventOf = (secondsAgo: number): EventWithView => {
  const createdAt = new Date(now - secondsAgo * 1000);
  const event = { type: 'video.cancelled', taskId: task.id, projectId: 'p', livemode: true, attempt: 1 } as const;
  return {
    event: { id: strayId('evt', createdAt), createdAt, ...event },
    view: { task, live: null, activeTasks: 1, readsPerMinute: 600 },
  };
};
const uuid = ({ event }: EventWithView) => uuidFromId('evt', event.id) ?? '';

/** Replays events from a table that pages like the real one. */
function replayOver(
  table: EventWithView[],
  lastSeen: EventWithView | null,
  onPage: (page: number) => void = () => undefined,
) {
  const sent: EventWithView[] = [];
  let pages = 0;
  const replay = replayEvents({
    lastSeen: lastSeen && uuid(lastSeen),
    openedAt: new Date(now),
    readPage: async (after, limit) => {
      const page = table.toSorted((a, b) => (uuid(a) < uuid(b) ? -1 : 1)).filter((one) => uuid(one) > after);
      const part = page.slice(0, limit);
      onPage((pages += 1));
      const last = part.at(-1);
      return { events: part, next: part.length < limit || !last ? null : uuid(last) };
    },
    send: async (one) => {
      sent.push(one);
      return true;
    },
  });
  const live = (...events: EventWithView[]) => void sent.push(...replay.takeLive(events));
  return { sent, live, run: () => replay.run((events) => void sent.push(...events)) };
}

describe('a reader that reconnects', () => {
  it('gets the events it missed, page by page, then those that happened during the replay, and none twice', async () => {
    const missed = Array.from({ length: 450 }, (_, index) => eventOf(1000 - index));
    const [lastSeen = eventOf(0), ...rest] = missed;
    const during = eventOf(0);
    const table = [...missed];
    const { sent, live, run } = replayOver(table, lastSeen, (page) => {
      if (page !== 2) return;
      table.push(during);
      live(during);
    });
    await run();
    live(during, eventOf(-1));
    expect(sent.slice(0, -1)).toEqual([...rest, during]);
    expect(sent).toHaveLength(rest.length + 2);
  });

  it('also gets events with a smaller id that were committed after its last event', async () => {
    const [older, lastSeen, newer] = [eventOf(24), eventOf(20), eventOf(10)];
    const { sent, run } = replayOver([older, lastSeen, newer], lastSeen);
    await run();
    expect(sent).toEqual([older, newer]);
  });

  it('loses nothing when more events happen than can be held back', async () => {
    const [lastSeen, ...table] = [eventOf(100), eventOf(90)];
    const burst = Array.from({ length: 2_500 }, (_, index) => eventOf(5 - index / 1000));
    const { sent, live, run } = replayOver(table, lastSeen ?? null, (page) => {
      if (page !== 1) return;
      for (const one of burst) {
        table.push(one);
        live(one);
      }
    });
    await run();
    expect(new Set(sent)).toEqual(new Set(table));
    expect(sent).toHaveLength(table.length);
  });
});

it('a new reader gets live events at once', () => {
  const { sent, live } = replayOver([eventOf(5)], null);
  const event = eventOf(0);
  live(event);
  expect(sent).toEqual([event]);
});
