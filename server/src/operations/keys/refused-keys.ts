import type { Database } from '../../db/database.ts';
import { parseApiKey } from '../../domain/api-key.ts';
import type { AuditEvent } from '../../domain/audit-event.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { hashApiKey } from './authenticate.ts';

/** How many events one process writes per minute at most; what is beyond them is counted in one more. */
const eventsPerMinute = 60;
const minuteMilliseconds = 60_000;

const refusals: readonly ErrorCode[] = ['invalid_api_key', 'revoked_api_key', 'expired_api_key'];

interface Refused {
  code: ErrorCode;
  address: string | null;
  /** The latest of these keys; null for those that were only counted. */
  key: string | null;
  count: number;
}

export interface RefusedKeys {
  /** Remembers that a key was refused, without a query. Keys with a wrong checksum are mistyped and not remembered. */
  note(key: string, code: ErrorCode, address: string | null): void;
  /** Writes the remembered refusals into the audit log. */
  flush(): Promise<void>;
  /** Writes the remembered refusals and stops. */
  close(): Promise<void>;
}

interface Parts {
  db: Pick<Database, 'apiKeys' | 'auditEvents'>;
  clock: Clock;
  log: Log;
}

/**
 * Counts refused keys per minute and address, so that an attacker who tries keys can be seen in the audit log but cannot
 * fill it. A key that was valid once is counted by itself: its project sees that it is still in use.
 */
export function createRefusedKeys({ db, clock, log }: Parts): RefusedKeys {
  let pending = new Map<string, Refused>();

  const add = (name: string, refused: Refused): void => {
    const isNew = !pending.has(name);
    const isCountedOnly = isNew && pending.size >= eventsPerMinute;
    const key = isCountedOnly ? 'others' : name;
    const former = pending.get(key)?.count ?? 0;
    const shown = isCountedOnly ? { code: refused.code, address: null, key: null } : refused;
    pending.set(key, { ...shown, count: former + refused.count });
  };

  const write = async (): Promise<void> => {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      const events = [];
      for (const refused of batch.values()) events.push(await toEvent(refused));
      await db.auditEvents.insert(events);
    } catch (error) {
      log.warn({ event: 'refused_keys.write_failed', err: error }, 'refused keys not stored');
      for (const [name, refused] of batch) add(name, refused);
    }
  };

  const toEvent = async ({ code, address, key, count }: Refused): Promise<AuditEvent> => {
    const found = key !== null && code !== 'invalid_api_key' ? await db.apiKeys.findByHash(hashApiKey(key)) : null;
    const now = clock.now();
    return {
      id: newId('aud', now, found?.projectId ?? null),
      createdAt: now,
      action: 'api_key.refused',
      keyId: null,
      personId: null,
      operator: null,
      command: null,
      objectId: found?.id ?? null,
      projectId: found?.projectId ?? null,
      livemode: found?.livemode ?? null,
      address,
      userAgent: null,
      requestId: null,
      detail: {
        code,
        count,
        prefix: key?.slice(0, 'kin_live_'.length) ?? null,
        last_four: key?.slice(-4) ?? null,
      },
    };
  };

  let writing = Promise.resolve();
  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };
  const stop = clock.every(minuteMilliseconds, () => void flush());

  return {
    note: (key, code, address) => {
      if (!refusals.includes(code) || !parseApiKey(key)) return;
      const name = code === 'invalid_api_key' ? `${address}` : `${address} ${key}`;
      add(name, { code, address, key, count: 1 });
    },
    flush,
    close: async () => {
      stop();
      await flush();
    },
  };
}
