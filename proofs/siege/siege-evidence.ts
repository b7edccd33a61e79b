/** Attacks that open sockets and hold them. */
export const holdingAttacks = ['downloads', 'streams', 'uploads', 'half-sent'] as const;
/** Attacks that send requests and count the responses. */
export const requestingAttacks = [
  'failing-creates',
  'replays',
  'bad-keys',
  'webhook-tests',
  'queries',
  'storage',
] as const;
export const attackNames = [...holdingAttacks, ...requestingAttacks] as const;
export type AttackName = (typeof attackNames)[number];

export function isHolding(attack: AttackName): attack is (typeof holdingAttacks)[number] {
  return holdingAttacks.some((name) => name === attack);
}

/** A request of the honest tenant. Times are unix milliseconds; everything runs on one machine. */
export interface HonestRequest {
  name: string;
  /** When it was due, whether or not the sender or the service was behind by then. */
  plannedAt: number;
  /** When its response was read, or when it failed. */
  endedAt: number;
  /** 0 if there was no response. */
  status: number;
}

/** What the hostile tenant did in one round of one attack. */
export interface Deeds {
  /** Sockets that had sent what the attack sends and were still established when the round ended. */
  held: number;
  /** How long the youngest of them was held. */
  heldSeconds: number;
  /** Other sockets of the attack: the API responded with a refusal, or closed them. */
  ended: number;
  /** How many responses had each status; 0 counts requests whose connection ended without a response. */
  responses: Record<number, number>;
  /** How many source addresses the requests came from. */
  addresses: number;
  /** How often the service came to the tenant's own server: for stalling images, or with webhooks. */
  visits: number;
}

/** A time in which the honest tenant was alone, or under attack. */
export interface SiegeWindow {
  round: number;
  from: number;
  to: number;
  /** Empty if the honest tenant was alone. */
  deeds: Partial<Record<AttackName, Deeds>>;
  /** The most memory that the API process used, sampled ten times per second. */
  apiBytes: number;
}

export interface SiegeEvidence {
  requests: HonestRequest[];
  windows: SiegeWindow[];
  /** Tasks of the hostile tenant's project. */
  rows: number;
  /** The most memory that the API process ever used. */
  apiPeakBytes: number;
  /** How often the API process exited before it was stopped. */
  apiExits: number;
  /** The share of one core that the hostile process used while it attacked. */
  hostileCores: number;
  /** In how many periods of 100 ms the kernel made the hostile process wait. */
  throttledPeriods: number;
}
