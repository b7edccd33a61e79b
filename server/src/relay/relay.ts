import type { AdvisoryLock } from '../db/advisory-lock.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { type Finding, reconcile } from '../operations/reconcile.ts';
import { sweepObjects } from '../operations/sweep-objects.ts';
import type { WorkflowClient } from '../operations/workflow-client.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { every, type Timer } from './every.ts';
import { relayOutbox } from './outbox-relay.ts';

const daySeconds = 24 * 60 * 60;
const liveEntriesPerStatement = 10_000;

interface Dependencies {
  db: Database;
  storage: Storage;
  workflows: WorkflowClient;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Held by one relay at a time: two that reconcile would count every lost workflow twice. */
  lock: AdvisoryLock;
  ensurePartitions: () => Promise<void>;
  waitLimitHours: number;
  reconcileSeconds: number;
}

/** Timers that need no Temporal: what was accepted gets started, what went astray is found, what is left over is swept. */
export function startRelay(dependencies: Dependencies): { close(): Promise<void> } {
  const { db, clock, log, metrics, lock } = dependencies;
  const run = (name: string, seconds: number, work: () => Promise<void>): Timer =>
    every(seconds, work, (error) =>
      log.warn({ err: error, timer: name }, 'a timer of the relay failed; it comes again'),
    );

  const timers = [
    run('outbox', 0.5, async () => {
      while (await relayOutbox(dependencies));
      metrics.outboxAge(await db.outbox.oldestAgeSeconds());
    }),
    run('reconcile', dependencies.reconcileSeconds, async () => {
      if (!lock.isHeld()) return;
      const findings = await reconcile(
        { ...dependencies, silenceSeconds: dependencies.reconcileSeconds },
        { isDryRun: false },
      );
      for (const finding of findings) noteFinding(log, metrics, finding);
    }),
    run('slots', 5, async () => {
      for (const { endpointId, slots, leased } of await db.leases.countLeased())
        metrics.slots(endpointId, slots, leased);
    }),
    run('partitions', daySeconds, dependencies.ensurePartitions),
    run('sweep', daySeconds, async () => {
      const swept = await sweepObjects(dependencies, { olderThanSeconds: daySeconds, isDryRun: false });
      if (swept.length > 0) log.info({ objects: swept.length }, 'swept objects that no row names');
    }),
    run('live', daySeconds, async () => {
      const moment = new Date(clock.now().getTime() - daySeconds * 1000);
      while ((await db.liveEntries.deleteOlderThan(moment, liveEntriesPerStatement)) === liveEntriesPerStatement);
    }),
  ];
  log.info('the relay runs');
  return {
    close: async () => {
      await Promise.all(timers.map((timer) => timer.close()));
      await lock.close();
    },
  };
}

function noteFinding(log: Log, metrics: Metrics, finding: Finding): void {
  metrics.reconcilerFinding(finding.kind);
  // Admitting is ordinary after a cap was raised; everything else means that something died or disagreed.
  if (finding.kind === 'admitted') log.info(finding, 'reconciler finding');
  else log.warn(finding, 'reconciler finding');
}
