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

/** For forms without one, so that every form has its DNS answer. */
const spareAddresses = ['127.0.0.1', '169.254.169.254', '10.1.2.3', '::1', 'fd00:ec2::254', '192.168.0.10'];

const allowedFor: Record<Form['verdict'], readonly Ending[]> = {
  forbidden: ['address', 'request'],
  // A port that is not open is refused like an address.
  unfit: ['address', 'request', 'unreachable', 'content'],
  harmless: anyRefusal,
};

/** A form as a caller submits it, as the Location of a redirect, and as the answer of a name server. */
export function staticCases(column: Column, forms: readonly Form[], world: World): Case[] {
  return forms.flatMap((form, index) => [
    submitted(column, form),
    redirected(column, form, redirectStatuses[index % redirectStatuses.length] ?? 302, world),
    answered(column, form, world),
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
    // A header's bytes are not a string's characters: what was beyond ASCII may have become another, unknown name. A
    // callback's redirect is not followed at all.
    allowed:
      column === 'callback_url'
        ? ['unreachable']
        : /[^\x20-\x7e]/.test(url)
          ? anyRefusal
          : [...allowedFor[verdict], ...relative(url)],
    wasCarriedOut: () => internet.served(id) > 0,
  };
}

/** Without a scheme, or with one and no host behind it, it is a page of the redirecting server, where there is none. */
function relative(url: string): Ending[] {
  return /^\s*[a-z]+:[/\\]{2}/i.test(url) ? [] : ['unreachable'];
}

function answered(column: Column, { group, address }: Form, { names, nextNumber }: World): Case {
  const number = nextNumber();
  const name = `d${number}.${publicZone}`;
  const answer = address ?? spareAddresses[number % spareAddresses.length] ?? '127.0.0.1';
  // Alone, and beside a good one.
  const others = number % 3 === 0 ? [publicAddresses.ipv4] : [];
  const aliases = number % 5 === 0 ? [`internal-${number}.corp.internal`] : [];
  names.define(name, () => ({ aliases, addresses: [...others, answer] }));
  return {
    column,
    position: 'dns',
    what: `${group}, ${name} is ${answer}`,
    url: `${number % 2 === 0 ? 'http' : 'https'}://${name}/`,
    allowed: ['address'],
    wasCarriedOut: () => names.asked(name) > 0,
  };
}
