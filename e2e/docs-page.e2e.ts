import { expect, inject, test } from 'vitest';
import { openBrowser, openPage } from './open-browser.ts';

test('the API reference works in a browser although its policy forbids inline scripts', async () => {
  await using browser = await openBrowser();
  const page = await openPage(browser);
  const refusals: string[] = [];
  const missing: string[] = [];
  page.on('response', (received) => {
    if (received.status() >= 400) missing.push(`${received.status()} ${received.url()}`);
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refusals.push(message.text());
  });
  const response = await page.goto(`${inject('world').url}/`);
  expect(response?.url()).toBe(`${inject('world').url}/docs/`);
  expect(response?.headers()['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
  await page.getByText('Create a video from text').first().waitFor();
  await page.getByRole('heading', { name: 'Authentication' }).first().waitFor();
  await page.getByRole('heading', { name: 'Error codes' }).first().waitFor();
  expect({ refusals, missing }).toEqual({ refusals: [], missing: [] });
  // A script that somebody else put into the page does not run.
  const injected = page.addScriptTag({ content: 'document.title = "injected"' });
  await expect(injected).rejects.toThrow('violates the following Content Security Policy');
  expect(await page.title()).not.toBe('injected');
});
