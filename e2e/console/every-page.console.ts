import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openPage } from '../open-browser.ts';
import { openAs, pagesOf, untilShown } from './console-browser.ts';
import type { AccountName } from './console-world.ts';
import { openTestBrowser } from './test-browser.ts';

const { consoleUrl, url, projectId, otherProjectId, testKey } = inject('console');
const mostScriptBytes = 200_000;

const browser = await openTestBrowser();
/** The address of the page of a completed, a failed and a waiting task. */
let taskPages: Record<string, string>;
beforeAll(async () => {
  const client = createApiClient({ url, key: testKey });
  const create = (prompt: string) => client.create({ prompt, ...smallestVideo });
  const completed = await create('a lighthouse at dusk');
  const failed = await create('a boat [[fail:engine_crashed]]');
  const waiting = await create('[[delay:600]] a kite');
  await Promise.all([client.follow(completed.id), client.follow(failed.id)]);
  const address = ({ id }: { id: string }): string => `/p/${projectId}/test/tasks/${id}`;
  taskPages = { completed: address(completed), failed: address(failed), waiting: address(waiting) };
});
afterAll(async () => {
  // It would occupy a slot during the tests that follow. If it has ended by itself, the response is 409.
  const id = taskPages['waiting']?.split('/').at(-1);
  await createApiClient({ url, key: testKey }).post(`/v1/videos/${id}/cancel`);
});

const emptyPages = Object.fromEntries(
  Object.entries(pagesOf(otherProjectId, 'live'))
    .filter(([, path]) => path.startsWith('/p/'))
    .map(([name, path]) => [`${name}, empty`, path]),
);

/** Returns what axe finds that keeps people from using a page. */
async function seriousProblems(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`));
}

describe.each(['dark', 'light'] as const)('in the %s theme', (theme) => {
  test('axe finds nothing serious or critical on any page, with content and without', async () => {
    const { context, page } = await openAs(browser, consoleUrl, 'operator', { theme });
    const found: Record<string, string[]> = {};
    const pages = {
      ...pagesOf(projectId, 'test'),
      ...taskPages,
      // The colours are the same with and without content, so one theme is enough for the pages that are empty.
      ...(theme === 'dark' ? emptyPages : {}),
    };
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(consoleUrl + path);
      await untilShown(page);
      const problems = await seriousProblems(page);
      if (problems.length > 0) found[name] = problems;
    }
    expect(found).toEqual({});
    await context.close();
  });

  test('axe finds nothing serious or critical on the pages of somebody who is not signed in', async () => {
    const page = await openPage(browser, { colorScheme: theme });
    const found: Record<string, string[]> = {};
    for (const path of ['/sign-in', '/welcome#token=x', '/set-password#token=x']) {
      await page.goto(consoleUrl + path);
      await page.locator('h1').first().waitFor();
      const problems = await seriousProblems(page);
      if (problems.length > 0) found[path] = problems;
    }
    expect(found).toEqual({});
    await page.context().close();
  });
});

test('no request of any page leaves the two origins, and the policy blocks nothing that a page needs', async () => {
  const { context, page } = await openAs(browser, consoleUrl, 'operator');
  const elsewhere = new Set<string>();
  const blocked: string[] = [];
  const broken: string[] = [];
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(consoleUrl).origin && origin !== new URL(url).origin)
      elsewhere.add(request.url());
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) blocked.push(message.text());
  });
  page.on('pageerror', (error) => broken.push(String(error)));
  for (const path of Object.values({ ...pagesOf(projectId, 'test'), ...taskPages })) {
    await page.goto(consoleUrl + path);
    await untilShown(page);
  }
  expect([...elsewhere]).toEqual([]);
  expect(blocked).toEqual([]);
  expect(broken).toEqual([]);
  await context.close();
});

test('the first page is usable with at most 200 kB of script, gzipped', async () => {
  const { context, page } = await openAs(browser, consoleUrl, 'developer');
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body());
  });
  await page.goto(consoleUrl);
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('a lighthouse at dusk');
  const bytes = (await Promise.all(scripts)).map((script) => gzipSync(script).length);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(mostScriptBytes);
  await context.close();
});

const allProjectPages = ['Create', 'Queue', 'Gallery', 'Usage', 'Keys', 'Webhooks', 'Limits', 'Audit log', 'Members'];
/** What each person finds in the sidebar. */
const sidebarOf: Record<AccountName, string[]> = {
  viewer: ['Queue', 'Gallery', 'Usage', 'Limits'],
  developer: ['Create', 'Queue', 'Gallery', 'Usage', 'Webhooks', 'Limits'],
  admin: allProjectPages,
  stranger: allProjectPages,
  operator: [...allProjectPages, 'Engines', 'Projects', 'People', 'Health'],
};
const adminPages = ['keys', 'audit-log', 'members'];
const developerPages = ['webhooks', ...adminPages];
const operatorPages = ['engines', 'projects', 'people', 'health'];
/** The pages that tell each person that they are not for them, if the person goes there by their address. */
const refusedTo: Record<AccountName, string[]> = {
  viewer: ['create', ...developerPages, ...operatorPages],
  developer: [...adminPages, ...operatorPages],
  admin: operatorPages,
  stranger: operatorPages,
  operator: [],
};

test.each(Object.keys(sidebarOf) as AccountName[])('a person sees exactly the pages of their role: %s', async (who) => {
  const { context, page } = await openAs(browser, consoleUrl, who);
  const own = who === 'stranger' ? otherProjectId : projectId;
  await page.goto(`${consoleUrl}/p/${own}/test/limits`);
  await untilShown(page);
  const links = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('listitem');
  expect((await links.allTextContents()).toSorted()).toEqual(sidebarOf[who].toSorted());
  const refused: string[] = [];
  for (const [name, path] of Object.entries(pagesOf(own, 'test'))) {
    await page.goto(consoleUrl + path);
    await untilShown(page);
    if (await page.getByText('You do not have access').isVisible()) refused.push(name);
  }
  expect(refused.toSorted()).toEqual(refusedTo[who].toSorted());
  await context.close();
});

test('a project of others looks like one that does not exist', async () => {
  const { context, page } = await openAs(browser, consoleUrl, 'viewer');
  const texts = [];
  for (const id of [otherProjectId, `${otherProjectId.slice(0, -1)}x`]) {
    await page.goto(`${consoleUrl}/p/${id}/live/gallery`);
    await page.getByText('Project not found').waitFor();
    texts.push(await page.locator('main').textContent());
  }
  expect(texts[0]).toBe(texts[1]);
  await context.close();
});

test('somebody without a session is led to the sign-in and back', async () => {
  const page = await openPage(browser);
  const wanted = `${consoleUrl}/p/${projectId}/test/usage`;
  await page.goto(wanted);
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel('E-mail address').fill('vera@example.com');
  await page.getByLabel('Password', { exact: true }).fill('front row of the balcony');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(wanted);
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  expect(page.url()).toBe(wanted);
  await page.context().close();
});
