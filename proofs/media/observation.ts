/** One file that was sent, and its response. */
export interface Observation {
  name: string;
  sha256: string;
  source: 'inline' | 'url';
  /**
   * The required outcome: see hostile-file.ts for a hostile file; the size for a good image, which must be accepted.
   */
  outcome: 'refused' | 'either' | { width: number; height: number };
  status: number;
  body: string;
  seconds: number;
}

/** A process that decoded images. */
export interface Decoder {
  pid: number;
  peakBytes: number;
  /** Whether it has another network namespace than the API. */
  isApart: boolean;
  /** The network interfaces of its namespace; with only the loopback it can reach no host. */
  interfaces: string[];
}

export interface Evidence {
  observations: Observation[];
  decoders: Decoder[];
  apiBytesBefore: number;
  apiBytesAfter: number;
  /** Paths of the canary that were requested. */
  canaryPaths: string[];
  /** Lines of the API's log at level error or above. */
  unexpectedErrors: string[];
}
