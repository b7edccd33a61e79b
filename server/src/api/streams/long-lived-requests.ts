import type { Caller } from '../../domain/caller.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';

const tickMilliseconds = 1_000;
/** So many seconds lie between two beats of a request; a part of them beats each second, so that no moment is crowded. */
const secondsBetweenBeats = 15;
/** Of one process. A stream costs some tens of kilobytes, so this is what bounds its memory. */
const maximumOpen = 20_000;
const maximumOpenOfProject = 1_000;

/** A request that is answered over a long time: an event stream, or a wait for the end of a task. */
interface LastingRequest {
  /** Whose it is. */
  owner: Pick<Caller, 'projectId' | 'livemode'>;
  /** The key it stands on; null where it stands on a signature. */
  keyId: string | null;
  /** Must bring the answer to its end soon. The code says why its key is no longer let in; null: the server closes. */
  end(refusal: ErrorCode | null): void;
  /** Called every 15 s. */
  beat?(): void;
}

/** All requests of this process that last. One timer serves them all. */
export interface LongLivedRequests {
  /** Takes a request in and answers how to let it go; refuses it when there are too many. */
  add(request: LastingRequest): () => void;
  /** Ends all of them and refuses new ones. */
  close(): void;
}

interface Parts {
  /** Which of these keys are no longer let in, and why. */
  refusedKeys: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, ErrorCode>>;
  log: Log;
}

export function createLongLivedRequests({ refusedKeys, log }: Parts): LongLivedRequests {
  const open = new Map<LastingRequest, { turn: number }>();
  const openOfProject = new Map<string, number>();
  let ticks = 0;
  let added = 0;
  let isClosed = false;
  let isChecking = false;

  /** A key that was revoked, or whose project was suspended, must not go on reading through what it has opened before. */
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
