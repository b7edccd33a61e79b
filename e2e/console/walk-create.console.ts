import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder } from '@kinora/stack/harness/test-folder';
import sharp from 'sharp';
import { expect, inject, test } from 'vitest';
import { untilShown } from './console-browser.ts';
import { openTestBrowserAs } from './test-browser.ts';

const { consoleUrl, projectId } = inject('console');

const { context, page } = await openTestBrowserAs('developer', {
  permissions: ['clipboard-read', 'clipboard-write'],
});
const folder = testFolder();

const open = async (mode: 'live' | 'test'): Promise<void> => {
  await page.goto(`${consoleUrl}/p/${projectId}/${mode}/create`);
  await untilShown(page);
};
const prompt = () => page.getByRole('textbox', { name: 'Prompt', exact: true });
const ratio = (name: string) => page.locator('label').filter({ has: page.getByRole('radio', { name, exact: true }) });
const segment = (group: string, name: string) =>
  page.getByRole('group', { name: group }).getByRole('button', { name, exact: true });
const smallest = async (): Promise<void> => {
  await ratio('1:1').click();
  await segment('Resolution', '480p').click();
};
/** Resolves once the canvas shows a video that can be played to its end. */
const untilVideo = async (count = 1): Promise<void> => {
  const videos = page.locator('main video');
  await expect.poll(() => videos.count()).toBe(count);
  await expect
    .poll(() => videos.first().evaluate((video) => (video as unknown as { readyState: number }).readyState))
    .toBeGreaterThanOrEqual(2);
};

test('a person makes a video from text, sees what it costs before and the video in place after', async () => {
  await open('live');
  await smallest();
  await prompt().fill('a red kite over the dunes at dusk');
  await page.locator('dl').getByText('No price').waitFor();
  await page.getByRole('button', { name: 'Create video' }).click();
  await untilVideo();
  await expect.poll(() => page.getByText('Completed').first().isVisible()).toBe(true);
});

test('a person makes a video from an image, and sees first what the ratio does to it', async () => {
  const image = join(folder, 'gradient.png');
  const pixels = sharp({ create: { width: 900, height: 600, channels: 3, background: '#7a9' } });
  await writeFile(image, await pixels.png().toBuffer());
  await open('test');
  await smallest();
  await page.getByLabel('Choose an image').setInputFiles(image);
  await page.getByAltText(/The first frame/).waitFor();
  await prompt().fill('the camera moves in slowly');
  await page.getByRole('button', { name: 'Create video' }).click();
  await untilVideo();
  await expect.poll(() => page.getByText('Completed').first().isVisible()).toBe(true);
});

test('the form follows the model: a real diffusion model offers only what it can do, and renders', async () => {
  await open('live');
  await page.getByLabel('Model').selectOption('wan-tiny');
  await segment('Resolution', '1080p').waitFor({ state: 'detached' });
  await expect.poll(() => ratio('16:9').count()).toBe(0);
  await smallest();
  await prompt().fill('a lighthouse at dusk');
  await page.locator('dl').getByText('$0.02').first().waitFor();
  await page.getByRole('button', { name: 'Create video' }).click();
  await untilVideo();
});

test('variations are made side by side with other seeds', async () => {
  await open('test');
  await smallest();
  await prompt().fill('a paper boat');
  await segment('Variations', '2').click();
  await page.getByRole('button', { name: 'Create 2 videos' }).click();
  await untilVideo(2);
  const seeds = await page.getByRole('button', { name: /^Copy seed/ }).allTextContents();
  expect(new Set(seeds).size).toBe(2);
});

test('the code is of the very request that is sent, in four languages', async () => {
  await open('test');
  await prompt().fill(`a sign that says "don't" & 'do'`);
  await page.getByLabel('Seed', { exact: true }).fill('4242');
  for (const [tab, part] of [
    ['curl', '"seed": 4242'],
    ['TypeScript', 'seed: 4242'],
    ['Python', '4242'],
    ['CLI', '4242'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    // By its tab's name, because the panel of the tab before stays until it has faded out.
    await page.getByRole('tabpanel', { name: tab }).getByText(part).first().waitFor();
  }
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/v1/videos/text-to-video')),
    page.getByRole('button', { name: 'Create video' }).click(),
  ]);
  expect(request.postDataJSON()).toMatchObject({ seed: 4242, prompt: `a sign that says "don't" & 'do'` });
});

test('a task that the operator set up to fail says what happened and what to do', async () => {
  await open('test');
  await smallest();
  await prompt().fill('a boat [[fail:engine_out_of_memory]]');
  await page.getByRole('button', { name: 'Create video' }).click();
  await page.getByText('Failed').first().waitFor();
  await page
    .getByRole('link', { name: 'Open task' })
    .or(page.getByRole('link', { name: /open/i }))
    .first()
    .click();
  await untilShown(page);
  const advice = page.getByText(/smaller resolution/).first();
  await expect.poll(() => advice.isVisible()).toBe(true);
  await context.clearPermissions();
});
