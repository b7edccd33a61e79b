import type { OutboundPolicy } from './outbound-policy.ts';

/** Allows only https to public addresses. */
export const strictPolicy: OutboundPolicy = {
  allowHttp: false,
  allowedPorts: [],
  allowedNetworks: [],
  deniedNetworks: [],
  publicHost: null,
};

/** Also allows http to a server of a test, at a port of 127.0.0.1. */
export function loopbackPolicy(port: number): OutboundPolicy {
  return { ...strictPolicy, allowHttp: true, allowedPorts: [port], allowedNetworks: ['127.0.0.1/32'] };
}
