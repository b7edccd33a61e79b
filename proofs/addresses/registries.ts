/** A block of IANA's special-purpose address registries, as of 2025. Null means "not applicable" in the registry. */
export interface RegisteredBlock {
  block: string;
  name: string;
  globallyReachable: boolean | null;
}

const entry = (block: string, name: string, globallyReachable: boolean | null = false): RegisteredBlock => ({
  block,
  name,
  globallyReachable,
});

/** The IPv4 Special-Purpose Address Registry (RFC 6890, RFC 8190). */
export const ipv4Registry: readonly RegisteredBlock[] = [
  entry('0.0.0.0/8', 'this network'),
  entry('0.0.0.0/32', 'this host on this network'),
  entry('10.0.0.0/8', 'private use'),
  entry('100.64.0.0/10', 'shared address space'),
  entry('127.0.0.0/8', 'loopback'),
  entry('169.254.0.0/16', 'link local'),
  entry('172.16.0.0/12', 'private use'),
  entry('192.0.0.0/24', 'IETF protocol assignments'),
  entry('192.0.0.0/29', 'IPv4 service continuity'),
  entry('192.0.0.8/32', 'IPv4 dummy address'),
  entry('192.0.0.9/32', 'port control protocol anycast', true),
  entry('192.0.0.10/32', 'TURN anycast', true),
  entry('192.0.0.170/32', 'NAT64/DNS64 discovery'),
  entry('192.0.0.171/32', 'NAT64/DNS64 discovery'),
  entry('192.0.2.0/24', 'documentation'),
  entry('192.31.196.0/24', 'AS112-v4', true),
  entry('192.52.193.0/24', 'AMT', true),
  entry('192.88.99.0/24', 'deprecated: 6to4 relay anycast', null),
  entry('192.88.99.2/32', '6a44 relay anycast'),
  entry('192.168.0.0/16', 'private use'),
  entry('192.175.48.0/24', 'direct delegation AS112 service', true),
  entry('198.18.0.0/15', 'benchmarking'),
  entry('198.51.100.0/24', 'documentation'),
  entry('203.0.113.0/24', 'documentation'),
  entry('240.0.0.0/4', 'reserved'),
  entry('255.255.255.255/32', 'limited broadcast'),
];

/** The IPv6 Special-Purpose Address Registry. */
export const ipv6Registry: readonly RegisteredBlock[] = [
  entry('::1/128', 'loopback'),
  entry('::/128', 'unspecified'),
  entry('64:ff9b::/96', 'IPv4-IPv6 translation', true),
  entry('64:ff9b:1::/48', 'IPv4-IPv6 translation'),
  entry('100::/64', 'discard only'),
  entry('100:0:0:1::/64', 'dummy prefix'),
  entry('2001::/23', 'IETF protocol assignments'),
  entry('2001::/32', 'Teredo', null),
  entry('2001:1::1/128', 'port control protocol anycast', true),
  entry('2001:1::2/128', 'TURN anycast', true),
  entry('2001:1::3/128', 'DNS-SD service registration anycast', true),
  entry('2001:2::/48', 'benchmarking'),
  entry('2001:3::/32', 'AMT', true),
  entry('2001:4:112::/48', 'AS112-v6', true),
  entry('2001:10::/28', 'deprecated: ORCHID', null),
  entry('2001:20::/28', 'ORCHIDv2', true),
  entry('2001:30::/28', 'drone remote identification', true),
  entry('2001:db8::/32', 'documentation'),
  entry('2002::/16', '6to4', null),
  entry('2620:4f:8000::/48', 'direct delegation AS112 service', true),
  entry('3fff::/20', 'documentation'),
  entry('5f00::/16', 'segment routing identifiers'),
  entry('fc00::/7', 'unique local'),
  entry('fe80::/10', 'link local'),
];

/** The multicast blocks of both address-space registries. */
export const multicastBlocks: readonly string[] = ['224.0.0.0/4', 'ff00::/8'];

/** The block that the IPv6 address-space registry calls global unicast; the rest is reserved by the IETF. */
export const globalUnicastBlock = '2000::/3';

/** Never seen on a wire, although it is registered: the kernel connects to the embedded IPv4 address. */
export const mappedBlock = '::ffff:0:0/96';

/** Blocks that Kinora refuses although no registry requires it. */
export const refusedByOurselves: readonly string[] = [
  '168.63.129.16/32', // a cloud's metadata service in public space
  '3ffe::/16', // the former 6bone
];
