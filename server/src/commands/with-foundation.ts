import { readCommandConfig } from '../config/config.ts';
import { type Foundation, wireFoundation } from '../wiring/foundation.ts';

/** Runs one command against the installation and then closes its connections. */
export async function withFoundation<T>(work: (foundation: Foundation) => Promise<T>): Promise<T> {
  const foundation = wireFoundation(readCommandConfig(), ['command']);
  try {
    return await work(foundation);
  } finally {
    await foundation.close();
  }
}
