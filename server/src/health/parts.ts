import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../telemetry/log.ts';

/** Something outside of the process that can be asked for a sign of life. */
interface Part {
  check(): Promise<void>;
}

/** What Kinora depends on. */
export interface Parts {
  db: Pick<Database, 'check' | 'kysely'>;
  workflows: Part;
  storage: Part;
  clock: Clock;
  log: Log;
}
