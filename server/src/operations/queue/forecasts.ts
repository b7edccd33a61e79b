import type { LiveEntry } from '../../db/attempts/live-entry-table.ts';
import type { Database } from '../../db/database.ts';
import type { QueuePlace } from '../../db/queue/pool-queue-table.ts';
import type { PoolQueue } from '../../db/queue/queue-snapshot-table.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { Clock } from '../../domain/clock.ts';
import { expectedEndOfQueued, expectedEndOfRunning } from '../../domain/expected-end.ts';
import { animatic } from '../../domain/model.ts';
import { createQueuePositions } from '../../domain/queue-positions.ts';
import type { Task } from '../../domain/task.ts';
import type { KnownSpeeds } from './known-speeds.ts';

/** How old the snapshot of the queues may be that all reads of a process use, and how long they use it at least. */
const snapshotMilliseconds = 2_000;
const leastMilliseconds = 500;
/** An older snapshot is not used: no caller has asked for a while, and others have moved on. */
const oldestSnapshotSeconds = 10;

/** A task's place in the queue and its estimated end; null if there is no honest estimate. */
interface Forecast {
  /** 1 for the next task to begin. */
  queuePosition: number | null;
  expectedEndAt: Date | null;
  /** Whether no engine serves the task's model at present. */
  isUnserved: boolean;
}

interface WatchedTask {
  task: Task;
  live: Pick<LiveEntry, 'stage' | 'progress' | 'progressSource'> | null;
}

export interface Forecasts {
  /** Adds its forecast to each task. Queries the database only if queued tasks are among them, once for all of them. */
  add<View extends WatchedTask>(views: readonly View[]): Promise<(View & { forecast: Forecast })[]>;
  one<View extends WatchedTask>(view: View): Promise<View & { forecast: Forecast }>;
}

interface Dependencies {
  db: Pick<Database, 'poolQueues' | 'queueSnapshots'>;
  speeds: Pick<KnownSpeeds, 'find' | 'of'>;
  catalogue: () => Catalogue;
  clock: Clock;
}

interface IndexedPool extends PoolQueue {
  positionOf: ReturnType<typeof createQueuePositions>;
}

/** A snapshot of all queues, by pool. */
type Queues = ReadonlyMap<string, IndexedPool>;

/** How long a task of a pool takes on average. */
interface Mean {
  renderSeconds: number;
  totalSeconds: number;
}

/** What the forecasts of one read have in common. */
interface Read {
  queues: Queues;
  places: ReadonlyMap<string, QueuePlace>;
  meanOf: (pool: string) => Mean | null;
}

const nothingQueued: Read = { queues: new Map(), places: new Map(), meanOf: () => null };
const nothing: Forecast = { queuePosition: null, expectedEndAt: null, isUnserved: false };

/**
 * Forecasts from a snapshot that the reads themselves refresh, at most every 2 s. The process that finds it due makes
 * it for all, so it is made only while callers ask.
 */
export function createForecasts({ db, speeds, catalogue, clock }: Dependencies): Forecasts {
  const readPools = async (): Promise<{ ageSeconds: number; pools: PoolQueue[] }> => {
    const last = await db.queueSnapshots.read();
    if (last && !last.isNextDue) return last;
    const isOwnTurn = await db.queueSnapshots.claim();
    // Another process is about to make the next one.
    if (!isOwnTurn && last && last.ageSeconds < oldestSnapshotSeconds) return last;
    return { ageSeconds: 0, pools: await db.queueSnapshots.make() };
  };

  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Queues> = Promise.resolve(nothingQueued.queues);
  const queuesNow = (): Promise<Queues> => {
    const now = clock.now().getTime();
    if (now - readAt >= snapshotMilliseconds) {
      readAt = now;
      reading = readPools().then(({ ageSeconds, pools }) => {
        readAt -= Math.min(Math.max(0, ageSeconds) * 1000, snapshotMilliseconds - leastMilliseconds);
        return indexQueues(pools);
      });
      reading.catch(() => {
        readAt = Number.NEGATIVE_INFINITY; // the next read queries again
      });
    }
    return reading;
  };

  const speedOf = ({ livemode, model, resolution, durationSeconds }: Task) =>
    speeds.find(livemode ? model : animatic.id, resolution, durationSeconds); // the built-in engine renders test mode

  const forecastOf = (watched: WatchedTask, { queues, places, meanOf }: Read): Forecast => {
    const { task } = watched;
    if (task.status === 'in_progress') return { ...nothing, expectedEndAt: endOfRunning(watched) };
    const place = task.status === 'queued' ? places.get(task.id) : undefined;
    const pool = queues.get(task.pool);
    // A pool that is not in the snapshot will be in the next.
    return place && pool ? forecastOfQueued(task, place, pool, meanOf(task.pool)) : nothing;
  };

  const endOfRunning = ({ task, live }: WatchedTask): Date | null => {
    const speed = speedOf(task);
    // The task's row does not say when a later attempt began, and a guess would not be honest.
    if (speed === null || task.startedAt === null || task.attempt > 1) return null;
    const isStepping = live?.stage === 'rendering' && live.progressSource === 'engine' && !isFinishing(task);
    return expectedEndOfRunning(
      { beganAt: task.startedAt, progress: isStepping ? live.progress : null },
      speed,
      clock.now(),
    );
  };

  const forecastOfQueued = (task: Task, own: QueuePlace, pool: IndexedPool, mean: Mean | null): Forecast => {
    if (own.cap === 0) return nothing; // the project is suspended and begins nothing
    const isAtCap = own.inProgress >= own.cap;
    const position = pool.positionOf({ contender: own, place: own.place, isAtCap });
    const speed = speedOf(task);
    const { isUnserved } = pool;
    if (speed === null || mean === null) return { queuePosition: position, expectedEndAt: null, isUnserved };
    const freeSlots = Math.max(0, pool.acceptingSlots - pool.inProgress);
    const wait = isAtCap
      ? { position, lanes: pool.acceptingSlots === 0 ? 0 : own.cap, freeLanes: 0, secondsPerTask: mean.totalSeconds }
      : { position, lanes: pool.acceptingSlots, freeLanes: freeSlots, secondsPerTask: mean.renderSeconds };
    return { queuePosition: position, expectedEndAt: expectedEndOfQueued(wait, speed, clock.now()), isUnserved };
  };

  /** Returns how long a task of the pool takes on average: requests that come more often count more. */
  const meanOfPool = (pool: string): Mean | null => {
    const models = new Set(
      [...catalogue().models, animatic].filter((model) => model.pool === pool).map(({ id }) => id),
    );
    const measured = [...models].flatMap((id) => speeds.of(id));
    const samples = sum(measured, (speed) => speed.samples);
    if (samples === 0) return null;
    return {
      renderSeconds: sum(measured, (speed) => speed.samples * speed.renderP50Seconds) / samples,
      totalSeconds: sum(measured, (speed) => speed.samples * speed.totalP50Seconds) / samples,
    };
  };

  const readQueues = async (views: readonly WatchedTask[]): Promise<(watched: WatchedTask) => Forecast> => {
    const queued = views.flatMap(({ task }) => (task.status === 'queued' ? [task.id] : []));
    if (queued.length === 0) return (watched) => forecastOf(watched, nothingQueued);
    const [queues, places] = await Promise.all([queuesNow(), db.poolQueues.places(queued)]);
    const means = new Map<string, Mean | null>();
    const meanOf = (pool: string): Mean | null => {
      const mean = means.get(pool) ?? meanOfPool(pool);
      means.set(pool, mean);
      return mean;
    };
    return (watched) => forecastOf(watched, { queues, places, meanOf });
  };

  return {
    async add(views) {
      const forecastFor = await readQueues(views);
      return views.map((view) => ({ ...view, forecast: forecastFor(view) }));
    },
    one: async (view) => ({ ...view, forecast: (await readQueues([view]))(view) }),
  };
}

/** Indexes a snapshot once, so that a forecast costs the same however many projects wait. */
function indexQueues(pools: readonly PoolQueue[]): Queues {
  return new Map(pools.map((pool) => [pool.pool, { ...pool, positionOf: createQueuePositions(pool.contenders) }]));
}

function isFinishing(task: Task): boolean {
  return task.status === 'in_progress' && task.stage === 'finishing';
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
