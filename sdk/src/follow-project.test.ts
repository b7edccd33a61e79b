import { describe, expect, test } from 'vitest';
import { AuthenticationError, ConnectionError, Kinora, type KinoraEvent } from './index.ts';
import {
  drop,
  event,
  type Handler,
  json,
  problem,
  startScriptedServer,
  stream,
  taskAt,
} from './scripted-server.fixture.ts';

async function serve(...handlers: Handler[]) {
  const server = await startScriptedServer((_request, count) => handlers[count - 1] ?? handlers.at(-1) ?? drop);
  return { ...server, kinora: new Kinora({ apiKey: 'kin_test_x', baseUrl: server.baseUrl, maxRetries: 1 }) };
}

const started = (number: number) => event('video.started', { id: `evt_${number}` }, `evt_${number}`);
const progress = event('task', taskAt(10));

async function take(events: AsyncIterable<KinoraEvent>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

describe.concurrent('the events of a project', () => {
  test('arrive once each over broken connections, and each reconnect resumes after the last event', async () => {
    const { kinora, requests } = await serve(
      stream([started(1), progress, started(2)], 'break'),
      drop,
      stream([started(1), started(2), started(3)], 'end'), // the service resends the events of the last seconds
      stream([started(3), started(4)], 'stay'),
    );
    expect(await take(kinora.events.stream(), 4)).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4']);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'evt_2', 'evt_2', 'evt_3']);
  });

  test('resume from the start of the stream if it broke before the first event', async () => {
    const { kinora, requests } = await serve(stream(['id: evt_0\n\n'], 'break'), stream([started(1)], 'stay'));
    expect(await take(kinora.events.stream(), 1)).toEqual(['evt_1']);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'evt_0']);
  });

  test('resume after the event that the caller names', async () => {
    const { kinora, requests } = await serve(stream([started(8)], 'stay'));
    expect(await take(kinora.events.stream({ lastEventId: 'evt_7' }), 1)).toEqual(['evt_8']);
    expect(requests[0]?.headers['last-event-id']).toBe('evt_7');
  });

  test('end with the error if the service rejects the request', async () => {
    const { kinora, requests } = await serve(stream([started(1)], 'end'), json(401, problem('revoked_api_key')));
    await expect(take(kinora.events.stream(), 2)).rejects.toBeInstanceOf(AuthenticationError);
    expect(requests).toHaveLength(2);
  });

  test('throw ConnectionError if no connection ever succeeds', async () => {
    const { kinora } = await serve(drop);
    await expect(take(kinora.events.stream(), 1)).rejects.toBeInstanceOf(ConnectionError);
  });

  test('end when the signal is aborted, with its reason', async () => {
    const { kinora } = await serve(stream([started(1)], 'stay'));
    const stop = new AbortController();
    const all = async () => {
      for await (const _event of kinora.events.stream({ signal: stop.signal })) stop.abort(new Error('enough'));
    };
    await expect(all()).rejects.toThrow('enough');
  });
});
