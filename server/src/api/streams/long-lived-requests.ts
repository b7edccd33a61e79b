import type { Caller } from '../../domain/caller.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';

const tickMilliseconds = 1_000;
/** Each request gets a beat at this interval, and a part of the requests each second, which spreads the work evenly. */
const secondsBetweenBeats = 15;
/** Per process. A stream takes some tens of kilobytes, so this limits the memory of all streams. */
const maximumOpen = 20_000;
const maximumOpenOfProject = 1_000;

/** A request whose response takes long: an event stream, or a wait for the end of a task. */
interface LongLivedRequest {
  /** The project and mode that the request counts against. */
  owner: Pick<Caller, 'projectId' | 'livemode'>;
  /** The key of the request; null if its URL is signed instead. */
  keyId: string | null;
  /** Must end the response soon. The code says why the key is no longer accepted; null means that the server closes. */
  end(refusal: ErrorCode | null): void;
  /** Called every 15 s. */
  beat?(): void;
}

/** All long-lived requests of this process. One timer serves them all. */
export interface LongLivedRequests {
  /** Adds a request and returns a function that releases it. Throws if there are too many. */
  add(request: LongLivedRequest): () => void;
  /** Ends all of them and refuses new ones. */
  close(): void;
}

interface Parts {
  /** Returns which of these keys are no longer accepted, and why. */
  refusedKeys: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, ErrorCode>>;
  log: Log;
}

export function createLongLivedRequests({ refusedKeys, log }: Parts): LongLivedRequests {
  const open = new Map<LongLivedRequest, { turn: number }>();
  const openOfProject = new Map<string, number>();
  let ticks = 0;
  let added = 0;
  let isClosed = false;
  let isChecking = false;

  /** Ends the requests of keys that were revoked, or whose project was suspended, after the request began. */
  const checkKeys = async (): Promise<void> => {
    const keyIds = [...new Set([...open.keys()].map(({ keyId }) => keyId))].filter((keyId) => keyId !== null);
    if (isChecking || keyIds.length === 0) return;
    isChecking = true;
    try {
      const refused = await refusedKeys(keyIds);
      for (const request of open.keys()) {
        const refusal = request.keyId === null ? undefined : refused.get(request.keyId);
        if (refusal !== undefined) request.end(refusal);
      }
    } catch (error) {
      log.debug({ event: 'stream_keys.check_failed', err: error }, 'keys of open streams not checked');
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(() => {
    ticks += 1;
    for (const [request, { turn }] of open) if (turn === ticks % secondsBetweenBeats) request.beat?.();
    void checkKeys();
  }, tickMilliseconds);
  timer.unref();

  return {
    add: (request) => {
      const key = `${request.owner.projectId} ${request.owner.livemode}`;
      const count = openOfProject.get(key) ?? 0;
      if (isClosed || open.size >= maximumOpen) throw new AppError('overloaded', { retryAfterSeconds: 1 });
      if (count >= maximumOpenOfProject) {
        throw new AppError('rate_limited', {
          retryAfterSeconds: 10,
          message: `The project has ${maximumOpenOfProject} open streams and waiting requests, which is as many as it may have. Close some.`,
        });
      }
      added += 1;
      open.set(request, { turn: added % secondsBetweenBeats });
      openOfProject.set(key, count + 1);
      return () => {
        if (!open.delete(request)) return;
        const left = (openOfProject.get(key) ?? 1) - 1;
        if (left === 0) openOfProject.delete(key);
        else openOfProject.set(key, left);
      };
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
      for (const request of open.keys()) request.end(null);
    },
  };
}
