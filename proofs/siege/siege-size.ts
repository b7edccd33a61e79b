import type { ProofSize } from '../proof.ts';
import { type AttackName, holdingAttacks, requestingAttacks } from './siege-evidence.ts';

/** What the hostile tenant must have done for the proof to count. */
export interface Claims {
  /** Sockets of each attack that holds some. */
  sockets: number;
  /** How long they are held, over all rounds. */
  heldSeconds: number;
  /** Tasks of the hostile tenant. */
  rows: number;
  /** Responses to each of the other attacks, over all rounds. */
  responses: Record<RequestingAttack, number>;
  /** Source addresses of the bad keys. */
  addresses: number;
  /** Attacks of which some requests must be refused. */
  refused: readonly RequestingAttack[];
}

type RequestingAttack = (typeof requestingAttacks)[number];

/** How far an attack may slow the honest tenant down. */
export interface Tolerance {
  /** The least share of the throughput alone. */
  throughputShare: number;
  /** The p99 may reach this many times that of alone, or the milliseconds below more, whichever is more. */
  latencyFactor: number;
  latencyMilliseconds: number;
}

export interface SiegeSize {
  /** Requests per second of the honest tenant. */
  rates: { read: number; create: number };
  rounds: number;
  warmUpSeconds: number;
  aloneSeconds: number;
  /** Attacks that run together, and how long in each round. */
  sieges: { attacks: readonly AttackName[]; seconds: number }[];
  /** Whether the honest tenant is alone before each siege, and not only at the beginning of a round. */
  isAloneBeforeEach: boolean;
  tolerance: Tolerance;
  claims: Claims;
}

/** All that 6,000 reads and 600 creates per minute allow. */
const allOfItsLimits = { read: 100, create: 10 };
const refused = ['failing-creates', 'bad-keys', 'webhook-tests', 'storage'] as const satisfies RequestingAttack[];
const promised: Tolerance = { throughputShare: 0.95, latencyFactor: 2, latencyMilliseconds: 50 };
const responses = {
  'failing-creates': 60,
  replays: 300,
  'bad-keys': 300,
  'webhook-tests': 100,
  queries: 30,
  storage: 9,
};

function eachFor(attacks: readonly AttackName[], seconds: number): SiegeSize['sieges'] {
  return attacks.map((attack) => ({ attacks: [attack], seconds }));
}

export const sizes: Record<ProofSize, SiegeSize> = {
  // All four attacks hold sockets at once, three times for a third of the 20 s: in turn they would take three minutes.
  ci: {
    rates: allOfItsLimits,
    rounds: 3,
    warmUpSeconds: 3,
    aloneSeconds: 4,
    sieges: [{ attacks: holdingAttacks, seconds: 8.5 }, ...eachFor(requestingAttacks, 2.5)],
    isAloneBeforeEach: false,
    tolerance: promised,
    claims: { sockets: 1_000, heldSeconds: 20, rows: 1_000_000, responses, addresses: 100, refused },
  },
  full: {
    rates: allOfItsLimits,
    rounds: 3,
    warmUpSeconds: 10,
    aloneSeconds: 15,
    sieges: [...eachFor(holdingAttacks, 45), ...eachFor(requestingAttacks, 30)],
    isAloneBeforeEach: true,
    tolerance: promised,
    claims: {
      sockets: 1_000,
      heldSeconds: 60,
      rows: 1_000_000,
      responses: {
        'failing-creates': 600,
        replays: 3_000,
        'bad-keys': 3_000,
        'webhook-tests': 1_000,
        queries: 300,
        storage: 90,
      },
      addresses: 100,
      // Replays count as reads, of which the hostile tenant may send 6,000 at once: only this size sends more.
      refused: [...refused, 'replays'],
    },
  },
};
