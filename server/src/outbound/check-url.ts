import { isLoopbackName } from '@kinora/settings/own-host';
import { OutboundRefused } from '../errors.ts';
import type { OutboundPolicy } from './outbound-policy.ts';

type UrlPolicy = Pick<OutboundPolicy, 'allowHttp' | 'allowedPorts' | 'allowLoopback'>;

const usualPorts = { 'http:': 80, 'https:': 443 } as const;
const maxUrlLength = 8192;

/** Parses a URL once and checks all that can be checked before a lookup. From then on only the returned URL is used. */
export function checkUrl(text: string, policy: UrlPolicy): URL {
  return checkParsedUrl(text.length <= maxUrlLength ? URL.parse(text) : null, 'bad_url', policy);
}

/** Checks the Location of a redirect in the same way; it may be relative to the URL that it came from. */
export function checkLocation(location: string | undefined, from: URL, policy: UrlPolicy): URL {
  return checkParsedUrl(location === undefined ? null : URL.parse(location, from.href), 'bad_redirect', policy);
}

function checkParsedUrl(url: URL | null, reasonWithoutUrl: 'bad_url' | 'bad_redirect', policy: UrlPolicy): URL {
  if (!url) throw new OutboundRefused(reasonWithoutUrl);
  const isOpenLoopback = policy.allowLoopback === true && isLoopbackName(url.hostname);
  const allowsHttp = policy.allowHttp || isOpenLoopback;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp)) throw new OutboundRefused('scheme');
  if (url.username !== '' || url.password !== '') throw new OutboundRefused('credentials');
  const allowedPorts = [...Object.values(usualPorts), ...policy.allowedPorts];
  if (!isOpenLoopback && !allowedPorts.includes(portOf(url))) throw new OutboundRefused('port');
  return url;
}

/** Returns the port of a URL, whether or not the URL contains it. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? usualPorts['http:'] : usualPorts['https:'];
}
