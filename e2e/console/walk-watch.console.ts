import { createApiClient } from '@kinora/stack/harness/api-client';
import { runCommand } from '@kinora/stack/harness/installation';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { expect, inject, test } from 'vitest';
import { untilShown } from './console-browser.ts';
import { openTestBrowserAs } from './test-browser.ts';

const { consoleUrl, url, projectId, testKey, environment } = inject('console');

const { page } = await openTestBrowserAs('operator');

test('the queue shows what waits and what is next, and cancels many at once', async () => {
  const { id } = JSON.parse(await runCommand(environment, 'projects', 'create', 'waiting room')) as { id: string };
  await runCommand(environment, 'projects', 'set', id, ...neverRunning);
  const { key } = JSON.parse(await runCommand(environment, 'keys', 'create', id, '--mode', 'live')) as { key: string };
  const client = createApiClient({ url, key });
  const tasks: { id: string }[] = [];
  for (let take = 1; take <= 5; take += 1)
    tasks.push(await client.create({ prompt: `a heron, take ${take}`, ...smallestVideo }));
  await page.goto(`${consoleUrl}/p/${id}/live/queue`);
  await page.getByText('a heron, take 5').waitFor();
  // One that comes later appears by itself.
  await client.create({ prompt: 'a heron, at last', ...smallestVideo });
  await page.getByText('a heron, at last').waitFor();
  for (const take of [1, 2, 3]) await page.getByLabel(`Select “a heron, take ${take}”`).click();
  await page.getByRole('button', { name: /^Cancel 3/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Cancel 3/ })
    .click();
  await expect
    .poll(async () => Promise.all(tasks.map(async (task) => (await client.read(task.id)).status)))
    .toEqual(['cancelled', 'cancelled', 'cancelled', 'queued', 'queued']);
});

test('the gallery finds a clip by its words, keeps the filter in the address, and opens it', async () => {
  const client = createApiClient({ url, key: testKey });
  const word = 'zeppelin';
  const made = await client.create({ prompt: `a ${word} above the harbour`, ...smallestVideo });
  await client.follow(made.id);
  await page.goto(`${consoleUrl}/p/${projectId}/test/gallery`);
  await untilShown(page);
  await page.keyboard.press('/');
  await page.keyboard.type(word);
  await page.waitForURL(new RegExp(word));
  const tile = page.getByRole('link', { name: new RegExp(word) }).first();
  await tile.waitFor();
  await page.reload();
  await tile.waitFor();
  await tile.click();
  await page.waitForURL(new RegExp(made.id));
  await page.goBack();
  await tile.waitFor();
  expect(page.url()).toContain(word);
});

test('the task page shows where the time went, the request, and makes it again', async () => {
  const client = createApiClient({ url, key: testKey });
  const prompt = 'a stone bridge [[fail-once:engine_crashed]]';
  const { id } = await client.create({ prompt, seed: 77, ...smallestVideo });
  const { end } = await client.follow(id);
  expect(end).toMatchObject({ status: 'completed', attempt: 2 });
  await page.goto(`${consoleUrl}/p/${projectId}/test/tasks/${id}`);
  await untilShown(page);
  const timeline = page
    .getByRole('region', { name: 'Where the time went' })
    .or(page.locator('section', { hasText: 'Where the time went' }))
    .first();
  for (const attempt of ['Attempt 1', 'Attempt 2']) await timeline.getByRole('list', { name: attempt }).waitFor();
  // Pages that share data must not trip over each other's.
  await page.getByRole('link', { name: 'Webhooks' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await untilShown(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByRole('dialog').getByText('77').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Make again' }).click();
  await page.waitForURL(/\/create/);
  await expect.poll(() => page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue()).toBe(prompt);
  await expect.poll(() => page.getByLabel('Seed', { exact: true }).inputValue()).toBe('77');
});

test('search goes to a task by its id and to a page by its name', async () => {
  const client = createApiClient({ url, key: testKey });
  const { id } = await client.create({ prompt: 'a windmill', ...smallestVideo });
  await page.goto(`${consoleUrl}/p/${projectId}/test/limits`);
  await untilShown(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(id);
  await page.getByRole('option', { name: /a windmill/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(id));
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('usage');
  await page.getByRole('option', { name: /Usage/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/usage/);
  expect(page.url()).toContain('/usage');
});
