/** One file that was sent in one way, and what came back. */
export interface Observation {
  name: string;
  sha256: string;
  way: 'inline' | 'url';
  /** What must come of it: see hostile-file.ts; `accepted` for a good image, with its size. */
  outcome: 'refused' | 'either' | { width: number; height: number };
  status: number;
  body: string;
  seconds: number;
}

/** A process that decoded images. */
export interface Decoder {
  pid: number;
  peakBytes: number;
  /** Whether its network is not the API's. */
  isApart: boolean;
  /** What its network has; without any it can reach nobody. */
  interfaces: string[];
}

export interface Evidence {
  observations: Observation[];
  decoders: Decoder[];
  apiBytesBefore: number;
  apiBytesAfter: number;
  /** What was asked for at the addresses that hostile files name. */
  canaryPaths: string[];
  /** Lines of the API's log that say of an error which nobody foresaw. */
  unexpectedErrors: string[];
}
