import { resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Starts Chromium without a window; `scripts/setup` installs it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    timeout: 120_000,
    executablePath: resolve(import.meta.dirname, '../.tools/bin/chromium'),
    // Chromium's own downloads are useless here, and not every machine can reach their servers.
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}
