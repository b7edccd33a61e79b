import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, inject } from 'vitest';
import { openBrowser } from '../open-browser.ts';
import { openAs } from './console-browser.ts';
import type { AccountName } from './console-world.ts';

/** Opens a browser until the tests of the file are over. */
export async function openTestBrowser(): Promise<Browser> {
  const browser = await openBrowser();
  afterAll(() => browser.close());
  return browser;
}

/** Opens a browser, until the tests of the file are over, as a person who has signed in. */
export async function openTestBrowserAs(
  who: AccountName,
  options?: BrowserContextOptions,
): Promise<{ browser: Browser; context: BrowserContext; page: Page }> {
  const browser = await openTestBrowser();
  return { browser, ...(await openAs(browser, inject('console').consoleUrl, who, options)) };
}
