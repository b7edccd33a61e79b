import type { AdvisoryLock } from '../db/connection/lock-session.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { animatic } from '../domain/model.ts';
import type { TimerRun } from '../domain/process-signs.ts';
import { followGoneWorkers } from '../operations/attempts/follow-gone-workers.ts';
import { followPools } from '../operations/queue/follow-pools.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import { type RecountTurn, reconcile } from '../operations/upkeep/reconcile.ts';
import { sumUsage } from '../operations/upkeep/sum-usage.ts';
import type { SecretReview } from '../operations/webhooks/rewrap-secrets.ts';
import { countSecrets } from './count-secrets.ts';
import { dailyRecount } from './daily-recount.ts';
import { dailySweep } from './daily-sweep.ts';
import { every, type Timer } from './every.ts';
import { noteRound } from './note-round.ts';
import { relayOutbox } from './outbox-relay.ts';
import { deleteOldRows, dropDays, expire, type RetentionParts } from './retention.ts';

const minuteSeconds = 60;
/** Checked every 2 s, measured every 30 s: the lock is not held yet at the first check. */
const speedsCheckSeconds = 2;
const speedsIntervalMilliseconds = 30_000;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;

interface Dependencies extends RetentionParts {
  reviewSecrets: () => Promise<SecretReview>;
  workflows: WorkflowClient;
  catalogue: () => Catalogue;
  /** Held by one relay at a time: two that reconcile would count every lost workflow twice. */
  lock: AdvisoryLock;
  ensurePartitions: () => Promise<void>;
  reconcileSeconds: number;
}

/**
 * Starts the relay's timers, which run in this process rather than in Temporal: they relay the outbox, reconcile,
 * follow pools and workers that are gone, measure model speeds, sum usage, recount stored bytes, create partitions and
 * delete what has expired.
 */
export function startRelay(dependencies: Dependencies): { timers(): TimerRun[]; close(): Promise<void> } {
  const { db, log, metrics, lock, clock } = dependencies;
  const turn: RecountTurn = { after: null };
  const lookForGoneWorkers = followGoneWorkers(dependencies);
  let speedsMeasuredAt = Number.NEGATIVE_INFINITY;
  const runs: TimerRun[] = [];
  const run = (name: string, everySeconds: number, work: () => Promise<void>): Timer => {
    const last: TimerRun = { name, everySeconds, endedAt: null };
    runs.push(last);
    const noted = async (): Promise<void> => {
      await work();
      last.endedAt = clock.now().toISOString();
    };
    return every(clock, everySeconds, noted, (error) =>
      log.warn({ event: 'relay.timer_failed', err: error, timer: name }, 'relay timer failed'),
    );
  };

  const timers = [
    run('outbox', 0.5, async () => {
      const { isDue, ageSeconds } = await db.outbox.oldest();
      metrics.outboxAge(ageSeconds);
      while (isDue && (await relayOutbox(dependencies)));
    }),
    run('reconcile', dependencies.reconcileSeconds, async () => {
      if (!lock.isHeld()) return;
      const round = await reconcile(
        { ...dependencies, silenceSeconds: dependencies.reconcileSeconds },
        { isDryRun: false, turn },
      );
      noteRound({ log, metrics, clock }, round);
    }),
    run('workers', 1, async () => {
      if (lock.isHeld()) await lookForGoneWorkers();
    }),
    run('pools', 2, async () => {
      if (lock.isHeld()) await followPools(dependencies);
    }),
    run('slots', 5, async () => {
      metrics.slots(await db.leases.countLeased('seen'));
    }),
    run('speeds', speedsCheckSeconds, async () => {
      const now = clock.now();
      const isDue = now.getTime() - speedsMeasuredAt >= speedsIntervalMilliseconds;
      if (!isDue || !lock.isHeld()) return;
      // The built-in engine serves test mode even if the models file does not name it.
      const models = new Map([animatic, ...dependencies.catalogue().models].map((model) => [model.id, model]));
      await db.modelSpeeds.measure([...models.values()], now);
      speedsMeasuredAt = now.getTime();
    }),
    run('partitions', daySeconds, dependencies.ensurePartitions),
    run('sweep', minuteSeconds, dailySweep(dependencies)),
    run('storage', minuteSeconds, dailyRecount(dependencies)),
    run('expire', minuteSeconds, async () => {
      // Two relays at once would do no harm, but would do everything twice.
      if (lock.isHeld()) await expire(dependencies);
    }),
    run('secrets', minuteSeconds, () => countSecrets(dependencies)),
    run('usage', minuteSeconds, async () => {
      if (lock.isHeld()) await sumUsage(dependencies);
    }),
    run('rows', minuteSeconds, async () => {
      if (lock.isHeld()) await deleteOldRows(dependencies);
    }),
    run('days', hourSeconds, () => dropDays(dependencies)),
  ];
  log.info({ event: 'relay.started' }, 'relay started');
  return {
    // A relay without the lock leaves most of the work to the one that has it.
    timers: () => (lock.isHeld() ? runs : []),
    close: async () => {
      await Promise.all(timers.map((timer) => timer.close()));
      await lock.close();
    },
  };
}
