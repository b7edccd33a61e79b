import { openLockSession } from '../db/connection/lock-session.ts';
import { oldPartitions } from '../db/connection/old-partitions.ts';
import { ensurePartitions } from '../db/connection/partitions.ts';
import { idempotencyDays } from '../db/tasks/idempotency-key-table.ts';
import { reviewSecrets } from '../operations/webhooks/rewrap-secrets.ts';
import { startRelay } from '../relay/relay.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import type { Foundation, Started } from './foundation.ts';
import type { RoleFacts } from './report-process.ts';

/** Starts the relay's timers, which run in this process rather than in Temporal. */
export function startRelayRole(foundation: Foundation, metrics: Metrics): Started & { facts: () => RoleFacts } {
  const { config, db, clock } = foundation;
  const box = createSecretBox(config.KINORA_SECRET_KEYS);
  const locks = openLockSession({ clock, databaseUrl: config.KINORA_DATABASE_URL, group: 'relays' });
  const relay = startRelay({
    ...foundation,
    metrics,
    reviewSecrets: () => reviewSecrets({ db, clock, box }),
    lock: locks.hold('reconcile'),
    partitions: oldPartitions(db.kysely),
    retention: { recordDays: config.KINORA_RECORD_RETENTION_DAYS, usageDays: config.KINORA_USAGE_RETENTION_DAYS },
    idempotencyDays,
    auditDays: config.KINORA_AUDIT_RETENTION_DAYS,
    ensurePartitions: () => ensurePartitions(db.kysely, clock.now()),
    waitLimitHours: config.KINORA_TASK_WAIT_HOURS,
    reconcileSeconds: config.KINORA_RECONCILE_SECONDS,
  });
  return {
    facts: () => ({ timers: relay.timers() }),
    close: async () => {
      await relay.close();
      await locks.close();
    },
  };
}
