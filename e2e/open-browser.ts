import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { toolPath } from '@kinora/stack/parts/stack-state';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Starts Chromium without a window; `scripts/setup browsers` installs it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    timeout: hangLimitMilliseconds,
    executablePath: toolPath('chromium', 'browsers'),
    // Chromium's own downloads are useless here, and not every machine can reach their servers.
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** Opens a page in a context of its own. Playwright's own limit for a wait is 30 s. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(hangLimitMilliseconds);
  return context.newPage();
}
