import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { measureGrowth } from '../domain/memory-growth.fixture.ts';
import { OutboundRefused } from '../errors.ts';
import { createGuardedFetcher } from './guarded-fetch.ts';
import { listen } from './loopback-server.fixture.ts';
import { loopbackPolicy } from './outbound-policy.fixture.ts';

const fetches = 30;
/** The limits for an image that a caller names by URL. */
const limits = {
  maxBytes: 20 * 1024 * 1024,
  timeoutMilliseconds: 10_000,
  pace: { leastBytes: 64 * 1024, everyMilliseconds: 3_000 },
  maxRedirects: 3,
};
const perAddress = { perHolder: 6, waitMilliseconds: 5_000 };
const chunk = Buffer.alloc(500_000);
/** 19.5 MB: a little less than a fetch may return. */
const chunks = 39;
const boundMegabytes = 200;
/** Consecutive samples in which the server sent nothing. Server and fetcher share this thread, so both ran between two samples. */
const quietSamplesAtEnd = 50;

describe(`${fetches} fetches at once from a server that sends 19.5 MB and stalls`, () => {
  const outcomes = new Set<string>();
  let mostMegabytes = 0;
  beforeAll(async () => {
    let chunksSent = 0;
    await using server = await listen(
      createServer((_, response) => {
        let sent = 0;
        const send = (): void => {
          while (sent < chunks) {
            sent += 1;
            chunksSent += 1;
            if (!response.write(chunk)) return void response.once('drain', send);
          }
        };
        response.writeHead(200, { 'content-type': 'image/png' });
        send();
      }),
    );
    const fetcher = createGuardedFetcher(
      { ...loopbackPolicy(server.port), allowedNetworks: ['127.0.0.0/8'] },
      { perAddress },
    );
    const grownMegabytes = measureGrowth(boundMegabytes);
    for (let started = 0; started < fetches; started += 1) {
      void fetcher.fetch(`http://127.0.0.1:${server.port}/`, limits).then(
        () => outcomes.add('fetched'),
        (error: unknown) => outcomes.add(error instanceof OutboundRefused ? 'refused' : String(error)),
      );
    }
    // The loop ends when the server has sent all it can, or as soon as the bound is exceeded.
    let quietSamples = 0;
    while (quietSamples < quietSamplesAtEnd && mostMegabytes <= boundMegabytes) {
      const before = chunksSent;
      await pause(20);
      quietSamples = chunksSent === before ? quietSamples + 1 : 0;
      mostMegabytes = Math.max(mostMegabytes, grownMegabytes());
    }
    await fetcher.close();
  });

  test('a stalled fetch ends as refused when the fetcher closes', () => {
    expect([...outcomes]).toEqual(['refused']);
  });

  test(`stalled fetches from one server hold at most ${boundMegabytes} MB in one process`, () => {
    expect(mostMegabytes).toBeLessThanOrEqual(boundMegabytes);
  });
});
