import { expect, test } from 'vitest';
import { AuthenticationError, Kinora, KinoraError } from './index.ts';
import { json, problem, startScriptedServer, taskAt } from './scripted-server.fixture.ts';

/** Starts a server with three pages of two tasks. */
async function servePages() {
  const { requests, baseUrl } = await startScriptedServer((_request, count) =>
    json(200, { data: [taskAt(count), taskAt(count + 10)], last_id: `task_${count}`, has_more: count < 3 }),
  );
  return { kinora: new Kinora({ apiKey: 'kin_test_x', baseUrl }), sent: () => requests.map(({ url }) => url) };
}

test('a list fetches the next page only when it is needed', async () => {
  const { kinora, sent } = await servePages();
  const seen: number[] = [];
  for await (const { progress } of kinora.videos.list({ status: 'completed' })) {
    seen.push(progress);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([1, 11, 2]);
  expect(sent()).toEqual(['/v1/videos?status=completed', '/v1/videos?status=completed&after=task_1']);
});

test('a list is awaited as its first page, which leads to the next ones', async () => {
  const { kinora, sent } = await servePages();
  let page = await kinora.videos.list({ limit: 2 });
  const seen = [page.data.map(({ progress }) => progress)];
  while (page.hasMore) {
    page = await page.nextPage();
    seen.push(page.data.map(({ progress }) => progress));
  }
  expect(seen).toEqual([
    [1, 11],
    [2, 12],
    [3, 13],
  ]);
  expect(sent()).toEqual(['', '&after=task_1', '&after=task_2'].map((after) => `/v1/videos?limit=2${after}`));
  const beyond = await page.nextPage().catch((thrown: unknown) => thrown);
  expect(beyond).toBeInstanceOf(KinoraError);
  expect(sent()).toHaveLength(3);
});

test('a page of a list comes with its response', async () => {
  const { kinora } = await servePages();
  const { data, response } = await kinora.videos.list().withResponse();
  expect(data).toMatchObject({ hasMore: true, data: [{ progress: 1 }, { progress: 11 }] });
  expect(response.headers.get('content-type')).toBe('application/json');
});

test('a list throws the error of the service, awaited or iterated', async () => {
  const { baseUrl } = await startScriptedServer(() => json(401, problem('invalid_api_key')));
  const { videos } = new Kinora({ apiKey: 'kin_test_x', baseUrl });
  await expect(videos.list()).rejects.toBeInstanceOf(AuthenticationError);
  await expect(videos.list()[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(AuthenticationError);
});
