import type { KeyUser } from '../../db/access/find-refusals.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { createConcurrencyLimit, NoPermit } from '../../domain/concurrency-limit.ts';
import { limits, type RefusingLimit } from '../../domain/limits.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';

const tickMilliseconds = 1_000;
/** Each request gets a beat at this interval, and a part of the requests each second, which spreads the work evenly. */
const secondsBetweenBeats = 15;

/** A request whose response takes long: an event stream, or a wait for the end of a task. */
export interface LongLivedRequest {
  /** The project and mode that the request counts against. */
  owner: Pick<Caller, 'projectId' | 'livemode'>;
  /** The key of the request, or the task for which its URL is signed instead. Tokens and signatures work `until` then. */
  access: (KeyUser & { until: Date | null }) | { signedTaskId: string; until: Date };
  /** Must end the response soon. The code says why it may not go on; null means that the server closes. */
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
  /** Returns why each of these is no longer accepted, or null if it is, in the given order. */
  refusedKeys: (users: readonly KeyUser[]) => Promise<readonly (ErrorCode | null)[]>;
  /** Returns which of these projects are suspended. */
  suspendedProjects: (projectIds: readonly string[]) => Promise<ReadonlySet<string>>;
  clock: Clock;
  log: Log;
}

export function createLongLivedRequests(parts: Parts): LongLivedRequests {
  const { clock, log } = parts;
  const open = new Map<LongLivedRequest, { turn: number }>();
  const enter = createStreamLimits();
  let ticks = 0;
  let added = 0;
  let isClosed = false;
  let isChecking = false;

  /** Ends the requests whose key was revoked, session ended or project suspended after they began. */
  const checkAccess = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    try {
      const users = new Map<string, KeyUser>();
      const projectIds = new Set<string>();
      for (const { access, owner } of open.keys()) {
        if ('keyId' in access) users.set(nameOf(access), access);
        else projectIds.add(owner.projectId);
      }
      const refusals = users.size === 0 ? [] : await parts.refusedKeys([...users.values()]);
      const refused = new Map([...users.keys()].map((name, index) => [name, refusals[index] ?? null]));
      const suspended = projectIds.size === 0 ? null : await parts.suspendedProjects([...projectIds]);
      for (const request of open.keys()) {
        const { access, owner } = request;
        const ofSigned = suspended?.has(owner.projectId) ? 'project_suspended' : null;
        const refusal = 'keyId' in access ? (refused.get(nameOf(access)) ?? null) : ofSigned;
        if (refusal !== null) request.end(refusal);
      }
    } catch (error) {
      log.debug({ event: 'stream_keys.check_failed', err: error }, 'keys of open streams not checked');
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(() => {
    ticks += 1;
    const now = clock.now();
    for (const [request, { turn }] of open) {
      const { access } = request;
      if (access.until !== null && access.until <= now) {
        request.end('keyId' in access ? 'expired_api_key' : 'signature_invalid');
      } else if (turn === ticks % secondsBetweenBeats) request.beat?.();
    }
    void checkAccess();
  }, tickMilliseconds);
  timer.unref();

  return {
    add: (request) => {
      if (isClosed) throw overloaded();
      const leave = enter(request);
      added += 1;
      open.set(request, { turn: added % secondsBetweenBeats });
      return () => {
        open.delete(request);
        leave();
      };
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
      for (const request of open.keys()) request.end(null);
    },
  };
}

/** Returns the access to long-lived responses that a caller has by its key or token. */
export function accessOfCaller({ keyId, person, tokenExpiresAt }: Caller): KeyUser & { until: Date | null } {
  return { keyId, sessionId: person?.sessionId ?? null, until: tokenExpiresAt ?? null };
}

function nameOf({ keyId, sessionId }: KeyUser): string {
  return `${keyId} ${sessionId}`;
}

/** Returns a function that counts a request and returns how to release it. It throws if there are too many. */
function createStreamLimits(): (request: LongLivedRequest) => () => void {
  const withKey = createConcurrencyLimit(limits.streams);
  const signed = createConcurrencyLimit(limits.signedStreams);
  const signedOfTask = createConcurrencyLimit(limits.signedStreamsOfTask);
  return ({ owner: { projectId, livemode }, access }) => {
    const project = `${projectId} ${livemode}`;
    if ('keyId' in access) {
      const leave = withKey.tryAcquire(project);
      if (leave instanceof NoPermit) throw refusal(leave, 'The project', limits.streams);
      return leave;
    }
    const leaveTask = signedOfTask.tryAcquire(access.signedTaskId);
    if (leaveTask instanceof NoPermit) throw refusal(leaveTask, 'This task', limits.signedStreamsOfTask);
    const leave = signed.tryAcquire(project);
    if (leave instanceof NoPermit) {
      leaveTask();
      throw refusal(leave, 'The project', limits.signedStreams);
    }
    return () => {
      leaveTask();
      leave();
    };
  };
}

function refusal(
  { isOwnShare }: NoPermit,
  subject: string,
  { perHolder, what, retryAfterSeconds }: RefusingLimit,
): AppError {
  if (!isOwnShare) return overloaded();
  const message = `${subject} has reached the limit of ${perHolder} ${what}. Close some.`;
  return new AppError('rate_limited', { retryAfterSeconds, message });
}

function overloaded(): AppError {
  return new AppError('overloaded', { retryAfterSeconds: 1 });
}
