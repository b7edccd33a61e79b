import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  /** The endpoints of the models file. */
  endpoints: () => readonly { id: string; pool: string }[];
}

/** Drains an endpoint, or resumes it if `drainedAt` is null. The worker that owns it notices within two seconds. */
export async function setDrained(
  { db, clock, endpoints }: Dependencies,
  operator: Operator,
  id: string,
  drainedAt: Date | null,
): Promise<void> {
  const found = endpoints().find((endpoint) => endpoint.id === id);
  if (!found) {
    const known = endpoints()
      .map((endpoint) => endpoint.id)
      .join(', ');
    throw new AppError('not_found', { message: `Endpoint ${id} not found. Known endpoints: ${known}.` });
  }
  await db.transaction(async (tables) => {
    await tables.endpointStates.setDrained(id, found.pool, drainedAt);
    const action = drainedAt ? 'engine.drained' : 'engine.resumed';
    await recordAuditEvent(tables, operator, { action, objectId: id }, clock.now());
  });
}
