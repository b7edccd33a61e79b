/** Where a browser goes after a sign-in: a path of the console, or the front page if it could lead elsewhere. */
export function returnPath(text: string | undefined, consoleUrl: string): string {
  if (text === undefined || !text.startsWith('/') || text.length > 1000) return '/';
  // Browsers drop tabs and line breaks in a URL, and read a backslash as a slash.
  if (/[\\\p{Cc}]/u.test(text) || !URL.canParse(text, consoleUrl)) return '/';
  const { origin, pathname, search, hash } = new URL(text, consoleUrl);
  const isPage = origin === new URL(consoleUrl).origin && !/^\/(\/|console-api(\/|$))/.test(pathname);
  return isPage ? pathname + search + hash : '/';
}
