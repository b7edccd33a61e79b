import type { Internet } from './internet.ts';
import type { NameServer } from './name-server.ts';

/** Who fetches: the API a caller's image, the deliverer a caller's callback, the fetcher what an engine returned. */
export const columns = ['image_url', 'callback_url', 'result_url'] as const;
export type Column = (typeof columns)[number];

export type Position = 'submitted' | 'redirect' | 'dns' | 'dynamic' | 'legitimate';

/** What came of a URL, in words for all columns: fetched, or refused for what it says, where it leads, what is there. */
export type Ending = 'fetched' | 'request' | 'address' | 'unreachable' | 'size' | 'content';

export interface Case {
  column: Column;
  position: Position;
  what: string;
  url: string;
  /** Every ending that keeps the promise. */
  allowed: readonly Ending[];
  /** Whether what makes the case dangerous has really happened: the redirect was served, the name was asked for. */
  wasCarriedOut: () => boolean;
  /** It only ends when somebody's patience does. */
  isSlow?: boolean | undefined;
}

/** Small bodies that unfold to huge ones, by their content encoding. */
export type Bombs = Record<'gzip' | 'deflate' | 'br', Buffer>;

/** What a case is made of. */
export interface World {
  internet: Internet;
  names: NameServer;
  bombs: Bombs;
  /** A number that no other case has. */
  nextNumber: () => number;
}

/** Public addresses that the proof's own servers have. */
export const publicAddresses = { ipv4: '93.184.216.34', ipv6: '2606:2800:220:1:248:1893:25c8:1946' } as const;
/** Every name below it leads there unless a case says otherwise, and the good certificate covers it. */
export const publicZone = 'world.test';

/** The statuses that are followed. */
export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/** How a case that takes any refusal ends well. */
export const anyRefusal: readonly Ending[] = ['request', 'address', 'unreachable', 'size', 'content'];

/** Where a page is; each has a host of its own, as a stranger's servers have. */
export function pageUrl(scheme: 'http' | 'https', id: string): string {
  return `${scheme}://${id}.${publicZone}/c/${id}`;
}
