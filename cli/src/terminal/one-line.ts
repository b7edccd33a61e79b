import { cutTo } from './text-width.ts';

/** Returns untrusted text as one line without control or bidirectional characters, cut to at most `cells` cells. */
export function oneLine(text: string, cells = Number.POSITIVE_INFINITY): string {
  return cutTo(text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim(), cells);
}
