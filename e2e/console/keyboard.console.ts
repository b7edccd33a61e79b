import { expect, inject, test } from 'vitest';
import { openPage } from '../open-browser.ts';
import { accounts } from './console-world.ts';
import { openTestBrowser } from './test-browser.ts';

const { consoleUrl } = inject('console');

const page = await openPage(await openTestBrowser(), { viewport: { width: 1440, height: 900 } });

/** Presses Tab until an element with this name has the focus. */
async function tabTo(name: RegExp): Promise<void> {
  const described = async (): Promise<string> =>
    page.evaluate(() => {
      // Playwright runs this in the page, where there is a document.
      const { document } = globalThis as unknown as {
        document: {
          activeElement: { ariaLabel: string | null; textContent: string; labels?: { textContent: string }[] };
        };
      };
      const { ariaLabel, textContent, labels } = document.activeElement;
      return [ariaLabel, labels?.[0]?.textContent, textContent.slice(0, 100)].filter(Boolean).join(' ');
    });
  for (let press = 0; press < 80; press += 1) {
    if (name.test(await described())) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the focus never reached ${String(name)}`);
}

test('somebody without a mouse signs in, makes a video, watches it and opens its page', async () => {
  await page.goto(consoleUrl);
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel('E-mail address').waitFor();
  await tabTo(/E-mail address/);
  await page.keyboard.type(accounts.developer.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(accounts.developer.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/create/);
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor();
  await tabTo(/^Prompt/);
  await page.keyboard.type('a lantern in the fog');
  await page.keyboard.press('Control+Enter');
  await page.locator('main video').first().waitFor();
  await tabTo(/Open task/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tasks\//);
  await page.getByRole('heading', { name: 'Where the time went' }).waitFor();
  // The list of keys opens and closes.
  await page.locator('body').press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.locator('input[role=combobox]:focus').waitFor();
  await page.keyboard.type('gallery');
  await page
    .getByRole('option', { name: /Gallery/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/gallery/);
  await page
    .getByRole('link', { name: /a lantern in the fog/ })
    .first()
    .waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tasks\//);
  expect(page.url()).toMatch(/\/tasks\/task_/);
});
