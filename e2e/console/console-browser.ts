import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { signIn } from './console-client.ts';
import { type AccountName, accounts } from './console-world.ts';

/** Opens the browser as a person who has signed in. */
export async function openAs(
  browser: Browser,
  consoleUrl: string,
  who: AccountName,
  options: BrowserContextOptions & { theme?: 'dark' | 'light' } = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const { theme = 'dark', ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: theme, ...rest });
  const { email, password } = accounts[who];
  const { cookie } = await signIn(consoleUrl, '/sign-in', { email, password });
  await context.addCookies([
    { name: '__Host-kinora_session', value: cookie, url: consoleUrl, secure: true, httpOnly: true, sameSite: 'Lax' },
  ]);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return { context, page };
}

/** The pages of a project and those of operators, by their names in the rail. */
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
  await page.waitForFunction("document.querySelector('main .skeleton') === null");
}
