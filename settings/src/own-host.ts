import { isIP } from 'node:net';

/** Returns whether a host of a URL means this machine itself, whatever name servers say. */
export function isLoopbackName(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/**
 * Returns whether a Host header names this server. A page in a browser can let a name of its own lead to any address (DNS
 * rebinding), so names count only if they are listed. Addresses and localhost always count: no page can redirect them.
 */
export function isOwnHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return true; // only HTTP/1.0 has no Host, and no browser speaks it
  const url = `http://${header}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || hostname === 'localhost' || names.some((name) => name.toLowerCase() === hostname);
}
