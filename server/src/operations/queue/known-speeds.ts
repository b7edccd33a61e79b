import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Resolution } from '../../domain/generation-request.ts';
import type { Log } from '../../telemetry/log.ts';

const refreshMilliseconds = 15_000;

/** How long a model takes for one resolution and duration, by the newest completed tasks. */
export interface Speed {
  samples: number;
  /** From the start of the attempt until the engine was done. */
  renderP50Seconds: number;
  renderP90Seconds: number;
  /** From the start of the attempt until the video was available. */
  totalP50Seconds: number;
  totalP90Seconds: number;
}

/** The measurements that this process read last. No method queries the database, so that no request waits for it. */
export interface KnownSpeeds {
  /** Returns null if too little has been measured. */
  find(model: string, resolution: Resolution, durationSeconds: number): Speed | null;
  /** Returns all measurements of a model. */
  of(model: string): (Speed & { resolution: Resolution; durationSeconds: number })[];
  close(): void;
}

interface Dependencies {
  db: Pick<Database, 'modelSpeeds'>;
  clock: Clock;
  log: Log;
}

/** Reads the relay's measurements now and every 15 s; while Postgres is unreachable, the last ones are used. */
export function createKnownSpeeds({ db, clock, log }: Dependencies): KnownSpeeds {
  let byModel: ReadonlyMap<string, Awaited<ReturnType<Database['modelSpeeds']['list']>>> = new Map();
  const refresh = async (): Promise<void> => {
    try {
      byModel = Map.groupBy(await db.modelSpeeds.list(), ({ model }) => model);
    } catch (error) {
      log.debug({ event: 'speeds.read_failed', err: error }, 'measured speeds not read');
    }
  };
  const stop = clock.every(refreshMilliseconds, () => void refresh());
  void refresh();
  const of: KnownSpeeds['of'] = (model) => byModel.get(model) ?? [];
  return {
    of,
    find: (model, resolution, durationSeconds) =>
      of(model).find((speed) => speed.resolution === resolution && speed.durationSeconds === durationSeconds) ?? null,
    close: stop,
  };
}
