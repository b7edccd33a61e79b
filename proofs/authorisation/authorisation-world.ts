import { setTimeout as pause } from 'node:timers/promises';
import { callOperationOrThrow, createObjects, makeCompletedTask } from '@kinora/stack/harness/create-objects';
import type { Installation } from '@kinora/stack/harness/installation';
import { type ObjectIds, unknownIds } from '@kinora/stack/harness/operation-requests';
import type { Client } from 'pg';

/** The keys of all callers, and the objects that they request. */
export interface World {
  url: string;
  owner: string;
  /** A key of the same project in the other mode. */
  otherMode: string;
  otherProject: string;
  suspended: string;
  revoked: string;
  expired: string;
  unknown: string;
  /** Keys with all scopes but one, by the name of the missing scope. */
  without: ReadonlyMap<string, string>;
  tokens: {
    /** Tokens of the owner's key with one scope each, by the scope. */
    ofScope: ReadonlyMap<string, string>;
    /** A token of the owner's key with all scopes, and another for the completed task only. */
    all: string;
    ofCompletedTask: string;
    expired: string;
    /** Made while their keys still worked. */
    ofRevokedKey: string;
    ofSuspendedProject: string;
    ofOtherProject: string;
  };
  ids: ObjectIds;
  completedTask: string;
}

const scopes = [
  'videos:read',
  'videos:write',
  'files:write',
  'usage:read',
  'webhooks:manage',
  'keys:manage',
  'audit:read',
];
/** What a key gets that names no scopes. */
const granted = ['videos:read', 'videos:write', 'files:write', 'usage:read'];
/** The shortest life of a token. */
const shortestSeconds = 10;
export const unlimited = { creates: 100_000, reads: 1_000_000, waiting: 100_000 };

/** Makes projects, keys and one object of every kind. One task has completed; the others wait. */
export async function makeWorld(installation: Installation, database: Client): Promise<World> {
  const { url, liveKey: owner, testKey: otherMode } = installation;
  const command = (...words: string[]): Promise<string> => installation.command(...words);
  const caller = { url, key: owner };
  const newKey = (body: object): Promise<{ id: string; key: string }> =>
    callOperationOrThrow(caller, 'POST /v1/api-keys', unknownIds, { body: { name: 'a key of the proof', ...body } });
  const project = async (name: string): Promise<{ id: string; key: string }> => {
    const { id } = JSON.parse(await command('projects', 'create', name)) as { id: string };
    await installation.setLimits(unlimited, id);
    return { id, key: (JSON.parse(await command('keys', 'create', id, '--mode', 'live')) as { key: string }).key };
  };

  const newToken = async (key: string, body: object): Promise<string> =>
    (await callOperationOrThrow<{ token: string }>({ url, key }, 'POST /v1/tokens', unknownIds, { body })).token;
  const expiring = await newToken(owner, { expires_in_seconds: shortestSeconds });
  const expiresAt = performance.now() + shortestSeconds * 1000;

  const completedTask = await makeCompletedTask(installation);
  const [other, suspended, revoked, expired, ...withoutOne] = await Promise.all([
    project('another'),
    project('suspended'),
    newKey({}),
    newKey({}),
    ...scopes.map((scope) => newKey({ scopes: scopes.filter((one) => one !== scope) })),
  ]);
  const [ofRevokedKey, ofSuspendedProject, ofOtherProject, all, ofCompletedTask, ...ofScope] = await Promise.all([
    newToken(revoked.key, { scopes: granted }),
    newToken(suspended.key, { scopes }),
    newToken(other.key, { scopes }),
    newToken(owner, { scopes }),
    newToken(owner, { scopes, task_id: completedTask }),
    ...scopes.map((scope) => newToken(owner, { scopes: [scope] })),
  ]);
  await command('projects', 'set', suspended.id, '--suspend');
  await callOperationOrThrow(caller, 'DELETE /v1/api-keys/{key_id}', { ...unknownIds, key_id: revoked.id });
  await database.query(
    `update api_keys set expires_at = now() - interval '1 second' where sha256 = sha256($1::bytea)`,
    [Buffer.from(expired.key)],
  );
  // A well-formed key that does not exist: it was issued, and its row is deleted.
  const unknown = (await newKey({})).key;
  await database.query('delete from api_keys where sha256 = sha256($1::bytea)', [Buffer.from(unknown)]);

  const ids = await createObjects(caller);
  await pause(Math.max(0, expiresAt - performance.now()));

  return {
    url,
    owner,
    otherMode,
    otherProject: other.key,
    suspended: suspended.key,
    revoked: revoked.key,
    expired: expired.key,
    unknown,
    without: new Map(scopes.map((scope, index) => [scope, withoutOne[index]?.key ?? ''])),
    tokens: {
      ofScope: new Map(scopes.map((scope, index) => [scope, ofScope[index] ?? ''])),
      all,
      ofCompletedTask,
      expired: expiring,
      ofRevokedKey,
      ofSuspendedProject,
      ofOtherProject,
    },
    ids,
    completedTask,
  };
}
