import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { openAs, pagesOf, untilShown } from '../e2e/console/console-browser.ts';
import { startConsoleWorld } from '../e2e/console/console-world.ts';
import { openBrowser } from '../e2e/open-browser.ts';

// Takes a picture of every page of the console in both themes and on a phone's width, with an installation of its own
// that has made some videos, and writes them to docs/console/screenshots. Look at them: they are also in the documents.

const folder = resolve(import.meta.dirname, '../docs/console/screenshots');
const prompts = [
  ['a paper boat on a quiet lake at dawn, slow pan', '16:9'],
  ['a red kite over the dunes, slow zoom', '4:3'],
  ['rain on a neon street at night', '9:16'],
  ['a lighthouse in the fog', '1:1'],
  ['two dancers in an empty square at dusk', '9:16'],
  ['a forest of birches in spring, morning light', '21:9'],
  ['snow falls on a small town', '16:9'],
  ['mountains at sunset, a lone hiker', '3:4'],
  ['a stone bridge in morning haze', '16:9'],
  ['fireflies over a pond', '1:1'],
  ['a desert with cacti at noon', '16:9'],
  ['a harbour with sailing boats, autumn', '4:3'],
] as const;
const looks = [
  { name: 'dark', theme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'light', theme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'phone', theme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

const receiverPort = await findFreePorts(1);
const say = (line: string): void => console.log(`screenshots: ${line}`);
const world = await startConsoleWorld({ withCog: true, loopbackPorts: [receiverPort], onProgress: say });
const receiver = await startWebhookReceiver(receiverPort);
const browser = await openBrowser();
try {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { installation } = world;
  const { consoleUrl, projectId, url, liveKey } = installation;
  const client = createApiClient({ url, key: liveKey, patientWith: [429] });
  say('making videos');
  await client.post('/v1/webhook-endpoints', { url: receiver.url('/videos'), description: 'Our own archive' });
  const shape = { resolution: '480p', duration: 2 } as const;
  const made = await Promise.all(
    prompts.map(([prompt, ratio]) => client.create({ prompt, aspect_ratio: ratio, model: 'animatic', ...shape })),
  );
  const wan = await client.create({
    prompt: 'a lighthouse at dusk',
    model: 'wan-tiny',
    aspect_ratio: '1:1',
    resolution: '480p',
    duration: 1,
  });
  await Promise.all([...made, wan].map(({ id }) => client.follow(id)));
  const [first] = made;
  if (!first) throw new Error('no task was made');
  const test = createApiClient({ url, key: installation.testKey });
  const failed = await test.create({ prompt: 'a boat in a storm [[fail:engine_out_of_memory]]', ...shape });
  await test.follow(failed.id);
  await installation.setLimits({ running: 3 });
  const slow = await Promise.all(
    [
      'a comet over the sea',
      'a carousel at night',
      'clouds over the fells',
      'a tram in the old town',
      'bees in a meadow',
      'the last train',
    ].map((prompt) => test.create({ prompt: `${prompt} [[delay:600]]`, ...shape })),
  );
  const pages: Record<string, string> = {
    ...pagesOf(projectId, 'live'),
    queue: `/p/${projectId}/test/queue`,
    task: `/p/${projectId}/live/tasks/${first.id}`,
    'task-failed': `/p/${projectId}/test/tasks/${failed.id}`,
    'sign-in': '/sign-in',
  };
  for (const { name, theme, viewport } of looks) {
    const { context, page } = await openAs(browser, consoleUrl, 'operator', { theme, viewport });
    for (const [title, path] of Object.entries(pages)) {
      if (title === 'sign-in') await context.clearCookies();
      await page.goto(consoleUrl + path);
      if (title === 'sign-in') await page.getByRole('heading', { level: 1 }).waitFor();
      else await untilShown(page);
      if (title === 'create') await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(prompts[0][0]);
      if (title === 'health') await runDoctor(page);
      // Pictures, fonts and plots are drawn after the content is there.
      await page.waitForTimeout(1_500);
      const png = await page.screenshot();
      await sharp(png)
        .webp({ quality: 80 })
        .toFile(join(folder, `${title}-${name}.webp`));
      say(`${title}-${name}.webp`);
    }
    await context.close();
  }
  await Promise.all(slow.map(({ id }) => test.cancel(id)));
} finally {
  await browser.close();
  await receiver.close();
  await world.close();
}

async function runDoctor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run doctor' }).click();
  await page.getByRole('button', { name: 'Run again' }).waitFor({ timeout: hangLimitMilliseconds });
}
