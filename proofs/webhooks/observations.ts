/** One request that the receiver read completely. */
export interface Received {
  /** The receiver: the name of an endpoint, or `callback`. */
  place: string;
  webhookId: string;
  /** The id of the event in the body. */
  bodyId: string;
  taskId: string;
  /** When it arrived, in milliseconds of the proof's clock. */
  at: number;
  /** Whether the official package, and the verifier written from the specification, accept its signature. */
  isAcceptedByPackage: boolean;
  isAcceptedBySpecification: boolean;
  /** `ok`, or the failure mode of the response. */
  outcome: string;
}

/** A delivery as the API reports it at the end. */
export interface Delivery {
  id: string;
  place: string;
  eventId: string;
  status: 'pending' | 'delivered' | 'dead';
  deadReason: string | null;
  tryCount: number;
  /** The numbers of its tries; null if the proof did not read them. */
  tries: number[] | null;
}

/** One event of the steady endpoint, sent while tries hung at the dead one. */
export interface BesideDead {
  /** How many tries hung at the dead endpoint when the event was made. */
  hanging: number;
  /** How many of those had ended when the event arrived. */
  ended: number;
  hasArrived: boolean;
}

/** Milliseconds from an accepted event to its arrival at a receiver that works, by round. */
export interface Latencies {
  withoutDead: number[][];
  withDead: number[][];
}

/** Everything that the checker sees of a run. */
export interface Observations {
  received: Received[];
  deliveries: Delivery[];
  /** Requests to the target of a redirect. */
  redirectsFollowed: number;
  /** The final status of the dead endpoint. */
  deadEndpoint: { status: string; disabledReason: string | null };
  besideDead: BesideDead[];
}

/** The least that a run must have done for its result to count. */
export interface Thresholds {
  events: number;
  deadDeliveries: number;
  /** Events that must have arrived before any try at the dead endpoint ended. */
  besideDead: number;
  latencies: number;
  /** How long a try at the dead endpoint hangs: an event that takes this long has waited for such a try. */
  longestSeconds: number;
  /** How many of the ten failure modes must have occurred. */
  failureModes: number;
  /** The least and the greatest share of requests that flaky receivers failed. */
  failedShare: [number, number];
  /** The share of accepted webhooks that may be sent again, because a try is repeated if its result came too late. */
  mostSentTwiceShare: number;
}

/** Returns whether a receiver accepts connections and never responds. */
export function isDeadPlace(place: string): boolean {
  return place.startsWith('dead');
}
