import {
  type Case,
  type Column,
  type Ending,
  pageUrl,
  publicAddresses,
  publicZone,
  redirectStatuses,
  type World,
} from './address-case.ts';
import type { Script } from './name-server.ts';
import { servePicture, serveRedirect } from './pages.ts';

const { ipv4, ipv6 } = publicAddresses;
const repeatMilliseconds = 1_500;

/** Cases of names whose DNS replies change, mix public and internal addresses, are chains of aliases, or never come. */
export function nameCases(column: Column, { internet, names, nextNumber }: World): Case[] {
  const named = (what: string, allowed: readonly Ending[], script: Script, page = servePicture): Case => {
    const number = nextNumber();
    const name = `n${number}.${publicZone}`;
    const id = `n${number}`;
    internet.serve(id, page);
    names.define(name, script);
    return {
      column,
      position: 'dynamic',
      what,
      url: pageUrl(number % 2 === 0 ? 'http' : 'https', id),
      allowed,
      wasCarriedOut: () => names.queries(name) > 0,
    };
  };
  const always =
    (...addresses: string[]): Script =>
    () => ({ addresses });
  const firstThen =
    (first: string[], later: string[]): Script =>
    (_question, count) => ({
      addresses: count === 0 ? first : later,
    });
  const inside = ['127.0.0.1', '::1'];
  const chain =
    (length: number, end: string): Script =>
    (question) => ({
      aliases: Array.from({ length }, (_, index) => `alias${index}.${question.name}`),
      addresses: [end],
    });

  // A resolver that got no reply in time repeats its query, which is not a second resolution.
  const unlessRepeated = (script: Script): Script => {
    let firstAt: number | null = null;
    return (question, count) => {
      firstAt ??= Date.now();
      return script(question, Date.now() - firstAt < repeatMilliseconds ? count : 0);
    };
  };
  const rebound = ['fetched'] as const;
  const cases = [
    // A second query, if there is one, gets an internal address.
    named('rebinding: public first, then internal', rebound, unlessRepeated(firstThen([ipv4], inside))),
    named('rebinding: public IPv6 first, then internal', rebound, unlessRepeated(firstThen([ipv6], inside))),
    named(
      'rebinding: both public first, then internal',
      rebound,
      unlessRepeated(firstThen([ipv4, ipv6], ['169.254.169.254', 'fd00:ec2::254'])),
    ),
    named('rebinding: internal first, then public', ['address'], firstThen(inside, [ipv4])),
    ...Array.from({ length: 6 }, (_, index) =>
      named('rebinding: internal and public in turn', ['fetched', 'address'], (_question, count) => ({
        addresses: [(count + index) % 2 === 0 ? ipv4 : '10.0.0.7'],
      })),
    ),
    ...[
      [ipv4, '127.0.0.1'],
      ['127.0.0.1', ipv4],
      [ipv4, '::1'],
      ['10.0.0.1', ipv6],
      [ipv6, 'fe80::1'],
      [ipv4, ipv6, '::ffff:169.254.169.254'],
      [ipv4, '64:ff9b::7f00:1'],
      [ipv4, '2002:7f00:1::'],
      [ipv4, '0.0.0.0'],
      [ipv4, '::'],
      [ipv4, '255.255.255.255'],
      [ipv4, '224.0.0.1', 'ff02::1'],
      ['93.184.216.1', '93.184.216.2', '93.184.216.3', '93.184.216.4', '93.184.216.5', '93.184.216.6', '192.168.0.1'],
    ].map((addresses) => named(`mixed addresses: ${addresses.join(', ')}`, ['address'], always(...addresses))),
    ...[1, 2, 4, 8, 16].map((length) =>
      named(`a chain of ${length} aliases to an internal address`, ['address'], chain(length, '10.9.8.7')),
    ),
    ...[1, 8].map((length) =>
      named(`a chain of ${length} aliases to a public address`, ['fetched'], chain(length, ipv4)),
    ),
    named('an alias of localhost', ['address'], () => ({ aliases: ['localhost'], addresses: inside })),
    named('an alias of a metadata service', ['address'], () => ({
      aliases: ['metadata.google.internal'],
      addresses: ['169.254.169.254'],
    })),
    named('aliases in a circle', ['unreachable'], ({ name }) => ({ aliases: ['other.test', name], addresses: [] })),
    named('a name that does not exist', ['unreachable'], () => ({ status: 'nxdomain' })),
    named('a name server that fails', ['unreachable'], () => ({ status: 'servfail' })),
    named('a name without addresses', ['unreachable'], always()),
    named(
      'twenty addresses, the last one internal',
      ['address'],
      always(...Array.from({ length: 19 }, (_, index) => `93.184.217.${index + 1}`), '127.0.0.9'),
    ),
    // More of these run at once than the process has threads for DNS lookups.
    ...Array.from({ length: 12 }, () => ({
      ...named('a name server that never responds', ['unreachable'], () => 'silence'),
      isSlow: true,
    })),
  ];
  if (column === 'callback_url') return cases;
  // Kinora resolves the name at each hop; the second reply is an internal address.
  const reboundByRedirect = redirectStatuses.map((status) => {
    const number = nextNumber();
    const id = `n${number}`;
    const name = `n${number}.${publicZone}`;
    internet.serve(id, serveRedirect(status, `/c/${id}?second`));
    names.define(name, firstThen([ipv4], inside));
    return {
      column,
      position: 'dynamic' as const,
      what: `rebinding between two hops, ${status}`,
      url: pageUrl('https', id),
      allowed: ['address' as const],
      wasCarriedOut: () => internet.served(id) === 1 && names.queries(name) > 2,
    };
  });
  return [...cases, ...reboundByRedirect];
}
