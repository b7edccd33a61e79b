import { signIn } from '@kinora/stack/harness/console-client';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openPage } from '../open-browser.ts';
import { type AccountName, accounts } from './console-world.ts';

/** Opens the browser as a person who has signed in. */
export async function openAs(
  browser: Browser,
  consoleUrl: string,
  who: AccountName,
  options: BrowserContextOptions & { theme?: 'dark' | 'light' } = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const { theme = 'dark', ...rest } = options;
  const page = await openPage(browser, { viewport: { width: 1440, height: 900 }, colorScheme: theme, ...rest });
  const context = page.context();
  // A `__Host-` cookie can only be set for https. Chromium sends it to loopback over http as well.
  const url = consoleUrl.replace('http:', 'https:');
  await context.addCookies([
    { name: '__Host-kinora_session', value: await cookieOf(consoleUrl, who), url, secure: true, httpOnly: true },
  ]);
  return { context, page };
}

const cookies = new Map<string, Promise<string>>();

/** Signs each person in once per file, because sign-ins are limited. */
function cookieOf(consoleUrl: string, who: AccountName): Promise<string> {
  const { email, password } = accounts[who];
  const known = cookies.get(email) ?? signIn(consoleUrl, '/sign-in', { email, password }).then(({ cookie }) => cookie);
  cookies.set(email, known);
  return known;
}

/** The pages of a project and those of operators, by their names in the sidebar. */
export function pagesOf(projectId: string, mode: 'live' | 'test'): Record<string, string> {
  const project = `/p/${projectId}/${mode}`;
  return {
    create: `${project}/create`,
    queue: `${project}/queue`,
    gallery: `${project}/gallery`,
    usage: `${project}/usage`,
    keys: `${project}/keys`,
    webhooks: `${project}/webhooks`,
    limits: `${project}/limits`,
    'audit-log': `${project}/audit-log`,
    members: `${project}/members`,
    engines: '/engines',
    projects: '/projects',
    people: '/people',
    health: '/health',
    profile: '/me',
  };
}

/** Waits until a page shows its content: no skeleton is left, and its heading is there. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
}
