import type { Internet } from './internet.ts';
import type { NameServer } from './name-server.ts';

/** The three fields whose URLs Kinora requests: a caller's image, a caller's callback, and an engine's result. */
export const columns = ['image_url', 'callback_url', 'result_url'] as const;
export type Column = (typeof columns)[number];

export type Position = 'submitted' | 'redirect' | 'dns' | 'dynamic' | 'legitimate';

/** How Kinora dealt with a URL: it fetched it, refused the request, address, size or content, or reached nothing. */
export type Ending = 'fetched' | 'request' | 'address' | 'unreachable' | 'size' | 'content';

export interface Case {
  column: Column;
  position: Position;
  what: string;
  url: string;
  /** Every ending that keeps the promise. */
  allowed: readonly Ending[];
  /** Returns whether the dangerous part of the case really happened: the redirect was served, the name was queried. */
  wasCarriedOut: () => boolean;
  /** Whether the case ends only when a timeout does. */
  isSlow?: boolean | undefined;
}

/** Small bodies that decompress to huge ones, by content encoding. */
export type Bombs = Record<'gzip' | 'deflate' | 'br', Buffer>;

/** The servers and data that cases are made of. */
export interface World {
  internet: Internet;
  names: NameServer;
  bombs: Bombs;
  /** A number that no other case has. */
  nextNumber: () => number;
}

/** Public addresses of the proof's own servers. */
export const publicAddresses = { ipv4: '93.184.216.34', ipv6: '2606:2800:220:1:248:1893:25c8:1946' } as const;
/** Names below this zone resolve to those addresses unless a case says otherwise; the good certificate covers them. */
export const publicZone = 'world.test';

/** The statuses that Kinora follows as redirects. */
export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/** The allowed endings of a case for which any refusal is right. */
export const anyRefusal: readonly Ending[] = ['request', 'address', 'unreachable', 'size', 'content'];

/** Returns the URL of a page. Each page has its own host, as servers of different callers have. */
export function pageUrl(scheme: 'http' | 'https', id: string): string {
  return `${scheme}://${id}.${publicZone}/c/${id}`;
}
