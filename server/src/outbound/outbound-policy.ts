/** What the operator allows in addition to https to public addresses. */
export interface OutboundPolicy {
  allowHttp: boolean;
  /** Ports in addition to 80 and 443. */
  allowedPorts: readonly number[];
  /** Networks in CIDR form that are allowed although they are not public. */
  allowedNetworks: readonly string[];
}
