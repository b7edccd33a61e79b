import { consoleApi } from './console-api.ts';

const name = 'kinora.signed-out';

/** Ends the session. The page is loaded again, so that nothing of it stays in memory. */
export async function signOut(): Promise<void> {
  await consoleApi('POST', '/sign-out');
  sessionStorage.setItem(name, 'yes');
  location.assign('/sign-in');
}

/** Returns whether the person signed out in this tab; a development server must not sign them in again by itself. */
export function hasSignedOut(): boolean {
  return sessionStorage.getItem(name) !== null;
}

export function forgetSignOut(): void {
  sessionStorage.removeItem(name);
}

/** Goes to the sign-in and from there back to this page. For sessions that ended while a page was open. */
export function signInAgain(): void {
  if (location.pathname === '/sign-in') return;
  location.assign(`/sign-in?next=${encodeURIComponent(`${location.pathname}${location.search}`)}`);
}
