import { createApiClient } from '@kinora/stack/harness/api-client';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { runCommand } from '@kinora/stack/harness/installation';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { expect, inject, test } from 'vitest';
import { pagesOf, untilShown } from './console-browser.ts';
import { seedCompleted } from './seed-tasks.ts';
import { openTestBrowserAs } from './test-browser.ts';

const { consoleUrl, url, environment, databaseUrl } = inject('console');
/** The usage page sends the most, 11. */
const mostRequests = 15;
/** The queue renders the most, about 380: lists render only what is in sight. */
const mostElements = 600;
/** These pages show many of the tasks, so they have more elements than their skeletons. */
const fullPages = ['queue', 'gallery'];
const leastElements = 100;

const { page } = await openTestBrowserAs('operator');

/** Creates a project and returns its id and a live key. */
async function newProject(name: string): Promise<{ id: string; key: string }> {
  const { id } = JSON.parse(await runCommand(environment, 'projects', 'create', name)) as { id: string };
  const { key } = JSON.parse(await runCommand(environment, 'keys', 'create', id, '--mode', 'live')) as { key: string };
  return { id, key };
}

test('with 2,000 tasks no page needs more than a few requests, or renders more than is in sight', async () => {
  const { id, key } = await newProject('large');
  await seedCompleted({ url, key, databaseUrl }, 2_000);
  // A page repeats requests while it is open, so only different ones count.
  const requested = new Set<string>();
  page.on('request', (request) => {
    if (['fetch', 'xhr', 'eventsource'].includes(request.resourceType()))
      requested.add(`${request.method()} ${request.url()}`);
  });
  const figures: Record<string, { requests: number; elements: number }> = {};
  for (const [name, path] of Object.entries(pagesOf(id, 'live'))) {
    requested.clear();
    await page.goto(consoleUrl + path);
    await untilShown(page);
    // The skeleton may appear only now.
    const elements = () => page.locator('main *').count();
    await expect.poll(elements).toBeGreaterThan(fullPages.includes(name) ? leastElements : 0);
    figures[name] = { requests: requested.size, elements: await elements() };
  }
  const tooMuch = Object.entries(figures).filter(
    ([, { requests, elements }]) => requests > mostRequests || elements > mostElements,
  );
  expect(tooMuch).toEqual([]);
});

test('the queue catches up with 100 changes that come as fast as they can', async () => {
  const { id, key } = await newProject('busy');
  await runCommand(environment, 'projects', 'set', id, ...neverRunning);
  const client = createApiClient({ url, key });
  await page.goto(`${consoleUrl}/p/${id}/live/queue`);
  await untilShown(page);
  const takes = Array.from({ length: 60 }, (_, index) => index + 1);
  // All but the last 20 are cancelled as soon as they are created.
  await forEachConcurrently(4, takes, async (take) => {
    const task = await client.create({ prompt: `take ${take}`, ...smallestVideo });
    if (take <= 40) await client.cancel(task.id);
  });
  const waiting = page.getByRole('region', { name: 'Waiting tasks' }).or(page.getByLabel('Waiting tasks')).first();
  await expect
    .poll(async () => (await waiting.getByText(/^take \d+$/).allTextContents()).toSorted())
    .toEqual(takes.slice(40).map((take) => `take ${take}`));
});
