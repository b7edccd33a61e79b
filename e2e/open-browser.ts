import { resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Chromium without a window; `scripts/setup` installs it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    timeout: 120_000,
    executablePath: resolve(import.meta.dirname, '../.tools/bin/chromium'),
    // What it would fetch for itself cannot be reached on every machine, and is of no use here.
    args: ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}
