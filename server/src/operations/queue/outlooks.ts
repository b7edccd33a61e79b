import type { Database } from '../../db/database.ts';
import type { LiveEntry } from '../../db/live-entries.ts';
import type { PoolShare } from '../../db/pool-queues.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { Clock } from '../../domain/clock.ts';
import { expectedEndOfQueued, expectedEndOfRunning } from '../../domain/expected-end.ts';
import { animatic } from '../../domain/model.ts';
import { queuePosition } from '../../domain/queue-position.ts';
import type { Task } from '../../domain/task.ts';
import { seenWithinMilliseconds } from './accepting-pools.ts';
import type { Speeds } from './speeds.ts';

/** How long a look at the queues is good for, whoever asks. */
const snapshotMilliseconds = 2_000;
const hourMilliseconds = 60 * 60 * 1000;
/** Three attempts of two hours, six hours of finishing, and room. */
const longestRunHours = 14;

/** What can be said of a task's future; null where nothing honest can be. */
interface Outlook {
  /** 1: the next to begin. */
  queuePosition: number | null;
  expectedEndAt: Date | null;
}

interface Seen {
  task: Task;
  live: Pick<LiveEntry, 'stage' | 'progress' | 'progressSource'> | null;
}

export interface Outlooks {
  /** Tells of each task what is to be expected. It asks the database only where queued tasks are among them, once for all. */
  add<View extends Seen>(views: readonly View[]): Promise<(View & { outlook: Outlook })[]>;
  one<View extends Seen>(view: View): Promise<View & { outlook: Outlook }>;
}

interface Dependencies {
  db: Pick<Database, 'poolQueues'>;
  speeds: Pick<Speeds, 'find' | 'of'>;
  catalogue: () => Catalogue;
  clock: Clock;
  /** No task waits longer. */
  waitLimitHours: number;
}

const nothing: Outlook = { queuePosition: null, expectedEndAt: null };

/** Positions and estimates, from a look at all queues that at most every 2 s somebody's read pays for. */
export function createOutlooks({ db, speeds, catalogue, clock, waitLimitHours }: Dependencies): Outlooks {
  const activeTime = () => {
    const now = clock.now().getTime();
    return {
      from: new Date(now - (waitLimitHours + longestRunHours) * hourMilliseconds),
      until: new Date(now + hourMilliseconds),
    };
  };
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<PoolShare[]> = Promise.resolve([]);
  const shares = (): Promise<PoolShare[]> => {
    const now = clock.now().getTime();
    if (now - lookedAt >= snapshotMilliseconds) {
      lookedAt = now;
      looking = db.poolQueues.shares(activeTime(), new Date(now - seenWithinMilliseconds));
      looking.catch(() => {
        lookedAt = Number.NEGATIVE_INFINITY; // the next one asks again
      });
    }
    return looking;
  };

  const speedOf = ({ livemode, model, resolution, durationSeconds }: Task) =>
    speeds.find(livemode ? model : animatic.id, resolution, durationSeconds); // test mode is drawn by the built-in engine

  const outlookOf = (seen: Seen, snapshot: readonly PoolShare[], places: ReadonlyMap<string, number>): Outlook => {
    const { task } = seen;
    if (task.status === 'in_progress') return { ...nothing, expectedEndAt: endOfRunning(seen) };
    const place = task.status === 'queued' ? places.get(task.id) : undefined;
    return place === undefined ? nothing : outlookOfQueued(task, place, snapshot);
  };

  const endOfRunning = ({ task, live }: Seen): Date | null => {
    const speed = speedOf(task);
    // When a later attempt began does not stand in the task's row, and a guess would not be honest.
    if (speed === null || task.startedAt === null || task.attempt > 1) return null;
    const isStepping = live?.stage === 'rendering' && live.progressSource === 'engine' && !isFinishing(task);
    return expectedEndOfRunning(
      { beganAt: task.startedAt, progress: isStepping ? live.progress : null },
      speed,
      clock.now(),
    );
  };

  const outlookOfQueued = (task: Task, place: number, snapshot: readonly PoolShare[]): Outlook => {
    const ofPool = snapshot.filter(({ pool }) => pool === task.pool);
    const own = ofPool.find((share) => isOf(share, task));
    // A project without a cap begins nothing: it is suspended. One that is not seen yet will be in two seconds.
    if (!own || own.cap === 0) return nothing;
    const ofProject = snapshot.filter((share) => isOf(share, task));
    const isAtCap = sum(ofProject, ({ inProgress }) => inProgress) >= own.cap;
    const others = ofPool.filter((share) => share !== own && share.cap > 0);
    const position = queuePosition({ contender: own, others, place, isAtCap });
    const speed = speedOf(task);
    const mean = meanOf(task.pool);
    if (speed === null || mean === null) return { queuePosition: position, expectedEndAt: null };
    const freeSlots = Math.max(0, own.openSlots - sum(ofPool, ({ inProgress }) => inProgress));
    const wait = isAtCap
      ? { position, lanes: own.openSlots === 0 ? 0 : own.cap, freeLanes: 0, secondsPerTask: mean.totalSeconds }
      : { position, lanes: own.openSlots, freeLanes: freeSlots, secondsPerTask: mean.renderSeconds };
    return { queuePosition: position, expectedEndAt: expectedEndOfQueued(wait, speed, clock.now()) };
  };

  /** How long a task of the pool takes, whichever it is: what was asked for more often counts more. */
  const meanOf = (pool: string): { renderSeconds: number; totalSeconds: number } | null => {
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

  const look = async (views: readonly Seen[]): Promise<(seen: Seen) => Outlook> => {
    const queued = views.flatMap(({ task }) => (task.status === 'queued' ? [task.id] : []));
    if (queued.length === 0) return (seen) => outlookOf(seen, [], new Map());
    const [snapshot, places] = await Promise.all([shares(), db.poolQueues.places(queued, activeTime())]);
    return (seen) => outlookOf(seen, snapshot, places);
  };

  return {
    async add(views) {
      const outlookFor = await look(views);
      return views.map((view) => ({ ...view, outlook: outlookFor(view) }));
    },
    one: async (view) => ({ ...view, outlook: (await look([view]))(view) }),
  };
}

function isOf(share: PoolShare, task: Task): boolean {
  return share.projectId === task.projectId && share.livemode === task.livemode;
}

function isFinishing(task: Task): boolean {
  return task.status === 'in_progress' && task.stage === 'finishing';
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
