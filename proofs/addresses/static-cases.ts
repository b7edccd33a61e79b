import {
  anyRefusal,
  type Case,
  type Column,
  type Ending,
  pageUrl,
  publicAddresses,
  publicZone,
  redirectStatuses,
  type World,
} from './address-case.ts';
import type { Form } from './forms.ts';
import { serveRedirect } from './pages.ts';

/** Addresses for forms without one, so that every form has a DNS case. */
const spareAddresses = ['127.0.0.1', '169.254.169.254', '10.1.2.3', '::1', 'fd00:ec2::254', '192.168.0.10'];

const allowedFor: Record<Form['verdict'], readonly Ending[]> = {
  forbidden: ['address', 'request'],
  // A port that is not allowed is refused like an address.
  unfit: ['address', 'request', 'unreachable', 'content'],
  harmless: anyRefusal,
};

/** Makes three cases of each form: the URL as submitted, as a redirect's Location, and its address as a DNS reply. */
export function staticCases(column: Column, forms: readonly Form[], world: World): Case[] {
  return forms.flatMap((form, index) => [
    submitted(column, form),
    redirected(column, form, redirectStatuses[index % redirectStatuses.length] ?? 302, world),
    resolved(column, form, world),
  ]);
}

function submitted(column: Column, { group, url, verdict }: Form): Case {
  return { column, position: 'submitted', what: group, url, allowed: allowedFor[verdict], wasCarriedOut: () => true };
}

function redirected(
  column: Column,
  { group, url, verdict }: Form,
  status: number,
  { internet, nextNumber }: World,
): Case {
  const number = nextNumber();
  const id = `r${number}`;
  internet.serve(id, serveRedirect(status, url));
  return {
    column,
    position: 'redirect',
    what: `${group}, ${status} to ${JSON.stringify(url)}`,
    url: pageUrl(number % 2 === 0 ? 'http' : 'https', id),
    // Characters beyond ASCII may become another, unknown name in a header, whose bytes are not characters. Kinora does
    // not follow a callback's redirect at all.
    allowed:
      column === 'callback_url'
        ? ['unreachable']
        : /[^\x20-\x7e]/.test(url)
          ? anyRefusal
          : [...allowedFor[verdict], ...relative(url)],
    wasCarriedOut: () => internet.served(id) > 0,
  };
}

/** A URL without a scheme or host is relative to the redirecting server, which has no such page. */
function relative(url: string): Ending[] {
  return /^\s*[a-z]+:[/\\]{2}/i.test(url) ? [] : ['unreachable'];
}

function resolved(column: Column, { group, address }: Form, { names, nextNumber }: World): Case {
  const number = nextNumber();
  const name = `d${number}.${publicZone}`;
  const internal = address ?? spareAddresses[number % spareAddresses.length] ?? '127.0.0.1';
  // Every third reply has a public address too.
  const others = number % 3 === 0 ? [publicAddresses.ipv4] : [];
  const aliases = number % 5 === 0 ? [`internal-${number}.corp.internal`] : [];
  names.define(name, () => ({ aliases, addresses: [...others, internal] }));
  return {
    column,
    position: 'dns',
    what: `${group}, ${name} is ${internal}`,
    url: `${number % 2 === 0 ? 'http' : 'https'}://${name}/`,
    allowed: ['address'],
    wasCarriedOut: () => names.queries(name) > 0,
  };
}
