/** One request that the receiver read to its end. */
export interface Received {
  /** Where it was sent: the name of an endpoint, or `callback`. */
  place: string;
  webhookId: string;
  /** The id that the body gives the event. */
  bodyId: string;
  /** When it came, by the clock of the proof, in milliseconds. */
  at: number;
  /** What the official package and the verifier written from the specification say of its signature. */
  isAcceptedByPackage: boolean;
  isAcceptedBySpecification: boolean;
  /** `ok`, or the way in which it was failed. */
  outcome: string;
}

/** A delivery as the API shows it at the end. */
export interface Delivery {
  id: string;
  place: string;
  eventId: string;
  status: 'pending' | 'delivered' | 'dead';
  deadReason: string | null;
  tryCount: number;
  /** Their numbers, where they were asked for. */
  tries: number[] | null;
}

/** All that was seen. */
export interface Observations {
  received: Received[];
  deliveries: Delivery[];
  /** Requests to where a redirect pointed. */
  redirectsFollowed: number;
  /** How the dead endpoint stood in the end. */
  deadEndpoint: { status: string; disabledReason: string | null };
  /** Milliseconds from an accepted event to its arrival at a receiver that works. */
  latencyWithoutDead: number[];
  latencyWithDead: number[];
}

/** How much must have happened for the promise to mean something. */
export interface Thresholds {
  events: number;
  deadDeliveries: number;
  latencies: number;
  /** How long a try at the dead endpoint hangs: whoever takes as long has waited for one. */
  longestSeconds: number;
  /** Of the ten ways to fail. */
  failureModes: number;
  /** Of what was sent to receivers that fail now and then: the least and the most that was failed. */
  failedShare: [number, number];
}

/** The place that accepts connections and never answers. */
export const deadPlace = 'dead';
