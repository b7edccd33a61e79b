import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from './read-events.ts';

async function eventsOf(chunks: readonly Uint8Array[]) {
  const found = [];
  for await (const event of readEvents(ReadableStream.from(chunks))) found.push(event);
  return found;
}

test.each(['\n', '\r\n'])(
  'events survive any split of the bytes into chunks, with lines that end in %j',
  async (end) => {
    const text = ': hello\n\nid: 7\nevent: task\ndata: {"é":1}\n\ndata: a\ndata: b\n\nevent: empty\n\nid: 8\n\n';
    const bytes = new TextEncoder().encode(text.replaceAll('\n', end));
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }));
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...places.toSorted((one, other) => one - other), bytes.length];
        const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        expect(await eventsOf(chunks)).toEqual([
          { id: '7', type: 'task', data: '{"é":1}' },
          { id: null, type: 'message', data: 'a\nb' },
          { id: '8', type: 'message', data: '' },
        ]);
      }),
    );
  },
);

test('an event without a final empty line is dropped, because it may be incomplete', async () => {
  expect(await eventsOf([new TextEncoder().encode('data: a\n\ndata: hal')])).toEqual([
    { id: null, type: 'message', data: 'a' },
  ]);
});

test('leaving the loop closes the connection', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\ndata: b\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const event of readEvents(body)) {
    expect(event.data).toBe('a');
    break;
  }
  expect(isCancelled).toBe(true);
});
