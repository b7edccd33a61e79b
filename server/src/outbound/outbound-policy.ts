/** Which addresses the operator opens beside public https. */
export interface OutboundPolicy {
  allowHttp: boolean;
  /** Beside 80 and 443. */
  allowedPorts: readonly number[];
  /** Networks in CIDR form that the operator opens although they are not public. */
  allowedNetworks: readonly string[];
}
