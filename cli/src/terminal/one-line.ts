import { cutTo } from './text-width.ts';

/** Text of others in one line that cannot steer the terminal or turn its direction; cut to so many cells, if they are given. */
export function oneLine(text: string, cells = Number.POSITIVE_INFINITY): string {
  return cutTo(text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim(), cells);
}
