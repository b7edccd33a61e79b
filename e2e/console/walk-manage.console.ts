import { readFile } from 'node:fs/promises';
import { createApiClient, type ErrorBody } from '@kinora/stack/harness/api-client';
import { connectTo } from '@kinora/stack/harness/open-database';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { startWebhookReceiver, type WebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { untilShown } from './console-browser.ts';
import { accounts } from './console-world.ts';
import { openTestBrowserAs } from './test-browser.ts';

const { consoleUrl, url, projectId, testKey, receiverPort, databaseUrl } = inject('console');

const { page } = await openTestBrowserAs('admin');
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver(receiverPort);
  const client = createApiClient({ url, key: testKey });
  await client.follow((await client.create({ prompt: 'a barn owl', ...smallestVideo })).id);
});
afterAll(() => receiver.close());
const open = async (name: string): Promise<void> => {
  await page.goto(`${consoleUrl}/p/${projectId}/test/${name}`);
  await untilShown(page);
};

test('a key is created after a fresh sign-in, shown once, works, and is revoked', async () => {
  // As if the person had signed in an hour ago.
  const database = await connectTo(databaseUrl);
  await database.query(
    `update console_sessions set signed_in_at = signed_in_at - interval '1 hour'
     where person_id = (select id from people where email = $1)`,
    [accounts.admin.email],
  );
  await database.end();
  await open('keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('walked key');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel(/^Password of/).fill(accounts.admin.password);
  await page.getByRole('button', { name: 'Confirm' }).click();
  const shown = page.getByText(/^kin_test_\w{36}$/).first();
  await shown.waitFor();
  const key = (await shown.textContent()) ?? '';
  const client = createApiClient({ url, key });
  expect((await client.get('/v1/limits')).status).toBe(200);
  await page.keyboard.press('Escape');
  await open('keys');
  expect(await page.getByText(key).count()).toBe(0);
  await page.getByRole('button', { name: 'Actions for walked key' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await expect.poll(async () => (await client.get<ErrorBody>('/v1/limits')).status).toBe(401);
});

test('a webhook endpoint is added, tested, and its delivery is sent again', async () => {
  // The endpoint also receives the events of tasks that other tests of this project left behind.
  const receivedTests = (): number =>
    receiver.received('/walked').filter(({ body }) => JSON.parse(body).type === 'webhook.test').length;
  await open('webhooks');
  await page
    .getByRole('button', { name: /Add (an )?endpoint/ })
    .first()
    .click();
  await page.getByRole('dialog').getByLabel('URL').fill(receiver.url('/walked'));
  await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click();
  await page
    .getByText(/^whsec_/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Send a test event' }).click();
  await expect.poll(receivedTests).toBe(1);
  await open('webhooks');
  await page.getByRole('table').getByText('webhook.test').first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await expect.poll(receivedTests).toBe(2);
});

test('limits show what is used, and the audit log says who did what', async () => {
  await open('limits');
  await page.getByRole('meter').first().waitFor();
  await open('audit-log');
  await page.getByRole('table').getByText(accounts.admin.name).first().waitFor();
  const created = page.getByRole('table').getByText('Created a key').first();
  await expect.poll(() => created.isVisible()).toBe(true);
});

test('usage is plotted and exported as CSV', async () => {
  await open('usage');
  await page.getByText('Completed').first().waitFor();
  await page.locator('canvas').first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/);
  expect(lines[0]).toMatch(/^start,end/);
  expect(lines.length).toBeGreaterThan(1);
});
