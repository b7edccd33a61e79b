import { expect, inject, test } from 'vitest';
import { openAs, untilShown } from './console-browser.ts';
import { openTestBrowser } from './test-browser.ts';

const { consoleUrl, projectId, controlUrl } = inject('console');
const tell = async (what: string): Promise<void> => {
  const { status } = await fetch(`${controlUrl}${what}`, { method: 'POST' });
  if (status !== 204) throw new Error(`${what} failed`);
};

const browser = await openTestBrowser();

test.each(['api', 'console'])(
  'while the role %s is away a banner says so, and then everything resumes',
  async (role) => {
    const { context, page } = await openAs(browser, consoleUrl, 'operator');
    // The queue reads the API again and again, and the board of engines the console's own server.
    await page.goto(role === 'api' ? `${consoleUrl}/p/${projectId}/test/queue` : `${consoleUrl}/engines`);
    await untilShown(page);
    const banner = page.getByText('Kinora cannot be reached. Running tasks continue');
    expect(await banner.count()).toBe(0);
    await tell(`/stop/${role}`);
    try {
      await banner.waitFor();
    } finally {
      await tell(`/start/${role}`);
    }
    await banner.waitFor({ state: 'detached' });
    // A task that somebody makes afterwards appears without a reload.
    await page.getByRole('link', { name: 'Create' }).first().click();
    const prompt = `a paper boat after ${role} came back`;
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(prompt);
    await page.getByRole('button', { name: /^Create/ }).click();
    await page.getByRole('link', { name: 'Queue' }).first().click();
    await page.getByText(prompt).first().waitFor();
    await context.close();
  },
);
