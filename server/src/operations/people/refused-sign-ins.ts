import type { Database } from '../../db/database.ts';
import type { Origin } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { createRateMemory } from '../../domain/rate-memory.ts';
import type { Log } from '../../telemetry/log.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { sha256Of } from '../audit/sha256-of.ts';

/** 60 events per minute and process: guesses at addresses that nobody has cannot fill the audit log. */
const strangerRate = { perMinute: 60, burst: 60 };

export interface RefusedSignIns {
  /** Puts a refused sign-in into the audit log, at once: a refusal's time must not tell whether an address is known. */
  note(refused: { personId: string | null; email: string; origin: Origin }): void;
}

export function createRefusedSignIns({
  db,
  clock,
  log,
}: {
  db: Pick<Database, 'auditEvents'>;
  clock: Clock;
  log: Log;
}): RefusedSignIns {
  const rates = createRateMemory();
  return {
    note({ personId, email, origin }) {
      const now = clock.now();
      if (personId === null && rates.take('strangers', strangerRate, now.getTime())) return;
      // People sometimes type the password into the field of the address, so the address is stored as a hash.
      const detail = { method: 'password', ...(personId ? {} : { email_sha256: sha256Of(email.toLowerCase()) }) };
      const recorded = { action: 'person.sign_in_refused', objectId: personId ?? undefined, detail } as const;
      recordAuditEvent(db, { person: null, origin }, recorded, now).catch((error: unknown) =>
        log.warn({ event: 'refused_sign_ins.write_failed', err: error }, 'refused sign-in not stored'),
      );
    },
  };
}
