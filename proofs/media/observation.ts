export interface ImageResponse {
  status: number;
  body: string;
  seconds: number;
}

/** One file that was sent, and its response. */
export interface Observation extends ImageResponse {
  name: string;
  sha256: string;
  source: 'inline' | 'url';
  /** The required outcome of a hostile file (see hostile-file.ts); the size of a good image, which must be accepted. */
  outcome: 'refused' | 'either' | { width: number; height: number };
  /** The response to the same file sent once more, because the first one was late; otherwise null. */
  again: ImageResponse | null;
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
