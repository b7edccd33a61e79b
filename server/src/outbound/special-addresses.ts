/**
 * Networks that are not part of the public internet: the IANA special-purpose registries for IPv4 and IPv6, multicast,
 * and addresses at which clouds serve credentials. Ranges that the registries call globally reachable but that respond
 * locally (anycast helpers, tunnels, translators) are listed too, because no image is hosted there. IPv6 outside
 * 2000::/3 is refused without being listed.
 */
export const specialNetworks: readonly { network: string; what: string }[] = [
  { network: '0.0.0.0/8', what: 'this network; Linux connects 0.0.0.0 to itself' },
  { network: '10.0.0.0/8', what: 'private use' },
  { network: '100.64.0.0/10', what: 'carrier-grade NAT; 100.100.100.200 is a metadata service' },
  { network: '127.0.0.0/8', what: 'loopback' },
  { network: '169.254.0.0/16', what: 'link local; 169.254.169.254 and others are metadata services' },
  { network: '172.16.0.0/12', what: 'private use' },
  { network: '192.0.0.0/24', what: 'protocol assignments; 192.0.0.192 is a metadata service' },
  { network: '192.0.2.0/24', what: 'documentation' },
  { network: '192.31.196.0/24', what: 'AS112' },
  { network: '192.52.193.0/24', what: 'AMT' },
  { network: '192.88.99.0/24', what: '6to4 relay anycast' },
  { network: '192.168.0.0/16', what: 'private use' },
  { network: '192.175.48.0/24', what: 'AS112' },
  { network: '198.18.0.0/15', what: 'benchmarking' },
  { network: '198.51.100.0/24', what: 'documentation' },
  { network: '203.0.113.0/24', what: 'documentation' },
  { network: '224.0.0.0/4', what: 'multicast' },
  { network: '240.0.0.0/4', what: 'reserved, and the broadcast address' },
  { network: '168.63.129.16/32', what: 'a metadata service in the middle of public space' },

  { network: '2001::/23', what: 'protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone tags' },
  { network: '2001:db8::/32', what: 'documentation' },
  { network: '2002::/16', what: '6to4: any IPv4 address may be inside' },
  { network: '2620:4f:8000::/48', what: 'AS112' },
  { network: '3ffe::/16', what: 'the former 6bone, given back' },
  { network: '3fff::/20', what: 'documentation' },
];
