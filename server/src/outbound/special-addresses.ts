/**
 * Not part of the public internet: the IANA special-purpose registries, multicast, and where clouds serve credentials.
 * Ranges that are called global but respond locally (anycast helpers, tunnels, translators) are listed too, as no image
 * is hosted there. IPv6 outside 2000::/3 is refused without being listed.
 */
export const specialNetworks: readonly { network: string; purpose: string }[] = [
  { network: '0.0.0.0/8', purpose: 'this network; Linux connects 0.0.0.0 to itself' },
  { network: '10.0.0.0/8', purpose: 'private use' },
  { network: '100.64.0.0/10', purpose: 'carrier-grade NAT; 100.100.100.200 is a metadata service' },
  { network: '127.0.0.0/8', purpose: 'loopback' },
  { network: '169.254.0.0/16', purpose: 'link local; 169.254.169.254 and others are metadata services' },
  { network: '172.16.0.0/12', purpose: 'private use' },
  { network: '192.0.0.0/24', purpose: 'protocol assignments; 192.0.0.192 is a metadata service' },
  { network: '192.0.2.0/24', purpose: 'documentation' },
  { network: '192.31.196.0/24', purpose: 'AS112' },
  { network: '192.52.193.0/24', purpose: 'AMT' },
  { network: '192.88.99.0/24', purpose: '6to4 relay anycast' },
  { network: '192.168.0.0/16', purpose: 'private use' },
  { network: '192.175.48.0/24', purpose: 'AS112' },
  { network: '198.18.0.0/15', purpose: 'benchmarking' },
  { network: '198.51.100.0/24', purpose: 'documentation' },
  { network: '203.0.113.0/24', purpose: 'documentation' },
  { network: '224.0.0.0/4', purpose: 'multicast' },
  { network: '240.0.0.0/4', purpose: 'reserved, and the broadcast address' },
  { network: '168.63.129.16/32', purpose: "Azure's platform service, in public address space" },

  { network: '2001::/23', purpose: 'protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone tags' },
  { network: '2001:db8::/32', purpose: 'documentation' },
  { network: '2002::/16', purpose: '6to4: any IPv4 address may be inside' },
  { network: '2620:4f:8000::/48', purpose: 'AS112' },
  { network: '3ffe::/16', purpose: 'the former 6bone, returned to IANA' },
  { network: '3fff::/20', purpose: 'documentation' },
];
