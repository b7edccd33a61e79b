import { OutboundRefused } from '../errors.ts';
import type { OutboundPolicy } from './outbound-policy.ts';

const usualPorts = { 'http:': 80, 'https:': 443 } as const;
const maxUrlLength = 8192;

/** Parses once and checks all that can be known before a name is resolved; from here on only the returned URL counts. */
export function checkUrl(text: string, policy: Pick<OutboundPolicy, 'allowHttp' | 'allowedPorts'>): URL {
  return checkParsedUrl(text.length <= maxUrlLength ? URL.parse(text) : null, 'bad_url', policy);
}

/** The same for the Location of a redirect, which may be relative to where it came from. */
export function checkLocation(
  location: string | undefined,
  from: URL,
  policy: Pick<OutboundPolicy, 'allowHttp' | 'allowedPorts'>,
): URL {
  return checkParsedUrl(location === undefined ? null : URL.parse(location, from.href), 'bad_redirect', policy);
}

function checkParsedUrl(
  url: URL | null,
  reasonWithoutUrl: 'bad_url' | 'bad_redirect',
  policy: Pick<OutboundPolicy, 'allowHttp' | 'allowedPorts'>,
): URL {
  if (!url) throw new OutboundRefused(reasonWithoutUrl);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) throw new OutboundRefused('scheme');
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('credentials');
  const allowedPorts = [...Object.values(usualPorts), ...policy.allowedPorts];
  if (!allowedPorts.includes(portOf(url))) throw new OutboundRefused('port');
  return url;
}

/** The port a URL stands for, written out or not. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? usualPorts['http:'] : usualPorts['https:'];
}
