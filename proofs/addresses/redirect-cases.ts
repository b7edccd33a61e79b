import {
  type Case,
  type Column,
  type Ending,
  pageUrl,
  publicZone,
  redirectStatuses,
  type World,
} from './address-case.ts';
import { servePicture, serveRedirect } from './pages.ts';

const otherStatuses = [300, 304, 305, 306, 399];
/** Spellings of internal addresses that a redirected request must never reach. */
const insideUrls = [
  'http://127.0.0.1/',
  'https://[::1]/',
  'http://metadata.google.internal/computeMetadata/v1/',
  '//169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://127.0.0.1:8080/',
  'https://[::ffff:10.0.0.1]/',
];

/** Cases of redirects to internal addresses, in circles, with user info, or with a status that is not a redirect. */
export function redirectCases(column: Column, { internet, nextNumber }: World): Case[] {
  const redirecting = (
    what: string,
    status: number,
    location: string | ((id: string) => string),
    allowed: readonly Ending[],
  ): Case => {
    const id = `s${nextNumber()}`;
    internet.serve(id, serveRedirect(status, typeof location === 'string' ? location : location(id)));
    return {
      column,
      position: 'dynamic',
      what: `${what}, ${status}`,
      url: pageUrl('https', id),
      // A callback needs a 2xx response, and Kinora follows none of its redirects.
      allowed: column === 'callback_url' ? ['unreachable'] : allowed,
      wasCarriedOut: () => internet.served(id) > 0,
    };
  };
  const goodId = `s${nextNumber()}`;
  internet.serve(goodId, servePicture);
  const good = `${goodId}.${publicZone}/c/${goodId}`;
  const chainOf = (length: number): string => {
    let next = pageUrl('https', goodId);
    for (let step = 0; step < length; step += 1) {
      const id = `s${nextNumber()}`;
      internet.serve(id, serveRedirect(redirectStatuses[step % redirectStatuses.length] ?? 302, next));
      next = pageUrl('https', id);
    }
    return next;
  };
  const there = `s${nextNumber()}`;
  const back = `s${nextNumber()}`;
  internet.serve(there, serveRedirect(302, pageUrl('https', back)));
  internet.serve(back, serveRedirect(302, pageUrl('https', there)));

  return [
    ...redirectStatuses.flatMap((status) => [
      ...insideUrls.map((url) => redirecting(`to ${url}`, status, url, ['address', 'request'])),
      redirecting('to a file', status, 'file:///etc/passwd', ['request']),
      redirecting('with a password', status, `https://user:secret@${good}`, ['request']),
      redirecting('with a user', status, `//user@${good}`, ['request']),
      redirecting('with a user to an internal address', status, 'https://user@127.0.0.1/', ['request']),
      redirecting('to a closed port', status, `https://p.${publicZone}:22/`, ['address']),
      redirecting('to itself, endlessly', status, (id) => `/c/${id}`, ['unreachable']),
    ]),
    ...otherStatuses.map((status) =>
      redirecting('a status that is not a redirect', status, 'http://127.0.0.1/', ['unreachable']),
    ),
    redirecting('back and forth, endlessly', 302, pageUrl('https', there), ['unreachable']),
    redirecting('more than three hops', 302, chainOf(3), ['unreachable']),
    redirecting('to nothing', 302, '', ['unreachable']),
    redirecting('with a header beyond the size limit', 302, `https://p.${publicZone}/${'x'.repeat(20_000)}`, [
      'unreachable',
    ]),
    redirecting('two Location headers', 302, `${pageUrl('https', goodId)}\r\nLocation: http://127.0.0.1/`, [
      'unreachable',
    ]),
    redirecting('with a line break', 302, `https://p.${publicZone}/\r\n http://127.0.0.1/`, [
      'unreachable',
      'request',
      'address',
    ]),
  ];
}
