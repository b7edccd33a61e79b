import type { AttackName, Deeds } from './siege-evidence.ts';

/** What the hostile tenant has and where it attacks. */
export interface HostileOrders {
  url: string;
  /** A key for each attack, because reads are limited by key: one attack must not use up what another needs. */
  keys: Record<AttackName, string>;
  /** Signed URLs of large videos, and of the events of tasks that wait. */
  videoUrls: string[];
  eventsUrls: string[];
  endpointIds: string[];
  /** The port of the tenant's own server, to which image URLs and webhooks lead. */
  ownPort: number;
  /** A file with a valid image of nearly 20 MB. */
  imagePath: string;
  /** How many sockets each attack holds that holds some. */
  sockets: number;
}

/** An attack in progress. */
export interface Attack {
  stop(): Promise<Deeds>;
}

export const noDeeds: Deeds = { held: 0, heldSeconds: 0, ended: 0, responses: {}, addresses: 0, visits: 0 };
