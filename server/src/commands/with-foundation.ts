import { readCommandConfig } from '../config/config.ts';
import { type Foundation, wireFoundation } from '../wiring/foundation.ts';

/** Runs one command against the installation and then closes its connections. */
export async function withFoundation<T>(work: (foundation: Foundation) => Promise<T>): Promise<T> {
  const foundation = wireFoundation(readCommandConfig(), ['command']);
  try {
    await foundation.db.check().catch(() => undefined); // reads Postgres's clock; most commands then say what is wrong
    return await work(foundation);
  } finally {
    await foundation.close();
  }
}
