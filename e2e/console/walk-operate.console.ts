import { expect, inject, test } from 'vitest';
import { openPage } from '../open-browser.ts';
import { openAs, untilShown } from './console-browser.ts';
import { openTestBrowserAs } from './test-browser.ts';

const { consoleUrl, projectId, usedWelcomeUrl } = inject('console');

const { browser, page } = await openTestBrowserAs('operator', {
  permissions: ['clipboard-read', 'clipboard-write'],
});
const open = async (path: string): Promise<void> => {
  await page.goto(consoleUrl + path);
  await untilShown(page);
};

test('an operator drains an endpoint on the board of engines, and resumes it', async () => {
  await open('/engines');
  await page.getByRole('button', { name: /cog-1/ }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).waitFor();
  await page
    .getByText(/Drained/)
    .first()
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Accepting jobs').first().waitFor();
  const drain = page.getByRole('dialog').getByRole('button', { name: 'Drain' });
  await expect.poll(() => drain.isVisible()).toBe(true);
});

test('an operator adds somebody, who chooses a password with the link, once', async () => {
  await open('/people');
  await page.getByRole('button', { name: 'Add a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill('nina@example.com');
  await dialog.getByLabel('Name').fill('Nina Newcomer');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const link = page.getByText(/\/set-password#token=/).first();
  await link.waitFor();
  const address = /http\S+/.exec((await link.textContent()) ?? '')?.[0] ?? '';
  const there = await openPage(browser);
  await there.goto(address);
  await there.getByLabel('New password').fill('reels in a tin box');
  await there.getByRole('button', { name: 'Save and sign in' }).click();
  await there.getByText('You are not a member of any project yet').waitFor();
  await there.goto('about:blank');
  await there.goto(address);
  await there.getByLabel('New password').fill('reels in another box');
  await there.getByRole('button', { name: 'Save and sign in' }).click();
  await there.getByText(/already used or has expired/).waitFor();
  await there.context().close();
  await open(`/p/${projectId}/test/members`);
  expect(await page.getByText('Nina Newcomer').count()).toBe(0);
});

test('the link of the first operator works once', async () => {
  const there = await openPage(browser);
  await there.goto(usedWelcomeUrl);
  await there.getByLabel('Your name').fill('Mallory');
  await there.getByLabel('E-mail address').fill('mallory@example.com');
  await there.getByLabel('Password', { exact: true }).fill('let me into the booth');
  await there.getByRole('button', { name: 'Start' }).click();
  await there.getByText(/already used or has expired/).waitFor();
  expect(there.url()).not.toMatch(/\/p\//);
  await there.context().close();
});

test('health names every part, and the doctor says what it found', async () => {
  await open('/health');
  for (const part of ['Postgres', 'Temporal']) await page.getByText(part).first().waitFor();
  await page.getByRole('button', { name: /doctor/i }).click();
  const result = page.getByRole('status').filter({ hasText: /^(All )?\d+ checks (passed|found)/ });
  await expect.poll(() => result.isVisible()).toBe(true);
});

test('a person sees their sessions and signs out', async () => {
  const { page: theirs, context } = await openAs(browser, consoleUrl, 'stranger');
  await theirs.goto(`${consoleUrl}/me`);
  await untilShown(theirs);
  await expect.poll(() => theirs.getByText('(this browser)').isVisible()).toBe(true);
  await theirs.getByRole('button', { name: 'Sign out' }).first().click();
  await theirs.waitForURL(/\/sign-in/);
  await context.close();
});
