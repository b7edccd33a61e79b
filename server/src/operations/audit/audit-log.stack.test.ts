import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { generateApiKey } from '../../domain/api-key.ts';
import type { AuditAction, AuditEvent } from '../../domain/audit-event.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { newWebhookSecret } from '../../webhooks/sign.ts';
import { authenticate } from '../keys/authenticate.ts';
import { createApiKey } from '../keys/create-api-key.ts';
import { grantApiKey } from '../keys/grant-api-key.ts';
import { createRefusedKeys } from '../keys/refused-keys.ts';
import { revokeApiKey } from '../keys/revoke-api-key.ts';
import { rotateApiKey } from '../keys/rotate-api-key.ts';
import { callerOf, operator, useWorld } from '../operations.fixture.ts';
import { createProject } from '../projects/create-project.ts';
import { purgeProject } from '../projects/purge-project.ts';
import { setProject } from '../projects/set-project.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { deleteTask } from '../tasks/delete-task.ts';
import { revealTask } from '../tasks/reveal-task.ts';
import { readCallbackSecret, rotateCallbackSecret } from '../webhooks/callback-secret.ts';
import { changeWebhookEndpoint } from '../webhooks/change-webhook-endpoint.ts';
import { createWebhookEndpoint } from '../webhooks/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from '../webhooks/delete-webhook-endpoint.ts';
import { rotateWebhookSecret } from '../webhooks/rotate-webhook-secret.ts';
import { listAuditEvents } from './list-audit-events.ts';
import { auditEventOf } from './record-audit-event.ts';
import { sha256Of } from './sha256-of.ts';

const world = useWorld();
const store = useTestStorage();

const tools = { box: createSecretBox(['a-key-of-this-test-with-32-letters']), newSecret: newWebhookSecret };
const parts = () => ({ ...world, ...tools, storage: store.storage });
const origin = { address: '203.0.113.7', userAgent: 'curl/8', requestId: 'req_1' };
const page = { after: null, limit: 100, order: 'asc', filter: {} } as const;

/** Returns all events of a project, oldest first; the clock of a test moves after every step. */
const eventsOf = (projectId: string) => world.db.auditLog.pageOfAll(projectId, page);

async function newOwner() {
  const project = await world.newProject();
  return { project, owner: { ...callerOf(project), origin } };
}

/** Does the steps one after the other, a second apart, so that the order of their events is known. */
async function inTurn(...steps: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) {
    await step();
    await world.moveClock(1);
  }
}

describe('the audit log', () => {
  it('records every change of webhooks and their secrets with key, address and request, and never a URL or secret', async () => {
    const { project, owner } = await newOwner();
    const secretUrl = 'https://hooks.example/?token=hunter2';
    const { endpoint, secret } = await createWebhookEndpoint(parts(), owner, {
      url: 'https://hooks.example/',
      description: '',
      events: [],
    });
    await world.moveClock(1);
    const rotated: string[] = [secret];
    await inTurn(
      () => changeWebhookEndpoint(world, owner, endpoint.id, { url: secretUrl, description: 'mine' }),
      () => changeWebhookEndpoint(world, owner, endpoint.id, { url: secretUrl }),
      async () => rotated.push((await rotateWebhookSecret(parts(), owner, endpoint.id, 60)).secret),
      async () => rotated.push((await readCallbackSecret(parts(), owner)).secret),
      () => readCallbackSecret(parts(), owner),
      async () => rotated.push((await rotateCallbackSecret(parts(), owner, 60)).secret),
      () => deleteWebhookEndpoint(world, owner, owner, endpoint.id),
    );
    const events = await eventsOf(project.id);
    const ofEndpoint = { keyId: owner.keyId, projectId: project.id, livemode: true, objectId: endpoint.id, ...origin };
    const hashes = { old_url_sha256: sha256Of('https://hooks.example/'), new_url_sha256: sha256Of(secretUrl) };
    expect(events).toMatchObject([
      { ...ofEndpoint, action: 'webhook_endpoint.created' },
      { ...ofEndpoint, action: 'webhook_endpoint.changed', detail: { changed: ['url', 'description'], ...hashes } },
      { ...ofEndpoint, action: 'webhook_endpoint.secret_rotated', detail: { overlap_seconds: 60 } },
      // The second read within a minute is not recorded again.
      { ...ofEndpoint, action: 'callback_secret.read', objectId: null },
      { ...ofEndpoint, action: 'callback_secret.rotated', objectId: null },
      { ...ofEndpoint, action: 'webhook_endpoint.deleted' },
    ]);
    for (const text of ['hunter2', ...rotated]) expect(JSON.stringify(events)).not.toContain(text);
    await world.moveClock(60);
    await readCallbackSecret(parts(), owner);
    expect(await eventsOf(project.id)).toHaveLength(7);
  });

  it('records who created, rotated and revoked a key, and never its text', async () => {
    const { id: projectId } = await createProject(world, operator, 'audited');
    await world.moveClock(1);
    const first = await createApiKey(world, operator, { projectId, livemode: true, name: 'first' });
    const caller = { ...(await authenticate(world, first.key)), origin };
    await world.moveClock(1);
    const second = await grantApiKey(world, caller, { name: 'second', scopes: ['videos:read'] });
    await world.moveClock(1);
    const third = await rotateApiKey(world, { keyId: second.id, overlapSeconds: 0, actor: caller });
    await world.moveClock(1);
    await inTurn(
      () => revokeApiKey(world, { keyId: third.id, actor: caller }),
      () => revokeApiKey(world, { keyId: third.id, actor: caller }),
      () => revokeApiKey(world, { keyId: first.id, actor: operator }),
    );
    const byOperator = { operator: 'ada', command: 'a command', keyId: null, address: null };
    const byKey = { operator: null, keyId: first.id, ...origin };
    const events = await eventsOf(projectId);
    expect(events).toMatchObject([
      { ...byOperator, action: 'project.created', objectId: projectId },
      { ...byOperator, action: 'api_key.created', objectId: first.id },
      { ...byKey, action: 'api_key.created', objectId: second.id, detail: { scopes: ['videos:read'] } },
      { ...byKey, action: 'api_key.rotated', objectId: second.id, detail: { new_key_id: third.id } },
      { ...byKey, action: 'api_key.revoked', objectId: third.id },
      { ...byOperator, action: 'api_key.revoked', objectId: first.id },
    ]);
    for (const { key } of [first, second, third]) expect(JSON.stringify(events)).not.toContain(key.slice(9, 30));
  });

  it('records changes of projects, cancels of operators, and one deletion however often a task is deleted', async () => {
    const { project, owner } = await newOwner();
    const [deleted, cancelled] = [await world.accept(project), await world.accept(project)];
    const cancelledByCaller = await world.accept(project);
    await inTurn(
      () => setProject(world, operator, project.id, { runningLimit: 3 }),
      () => setProject(world, operator, project.id, { isSuspended: true }),
      () => setProject(world, operator, project.id, { isSuspended: false }),
      () => Promise.all([deleteTask(parts(), owner, deleted.id), deleteTask(parts(), owner, deleted.id)]),
      () => cancelTask(world, cancelled.id, operator),
      () => cancelTask(world, cancelledByCaller.id, owner),
      () => purgeProject(parts(), operator, project.id),
    );
    const events = await eventsOf(project.id);
    expect(events.slice(0, 5)).toMatchObject([
      { action: 'project.changed', livemode: null, detail: { running_limit: 3 } },
      { action: 'project.suspended' },
      { action: 'project.resumed' },
      { action: 'task.deleted', objectId: deleted.id, keyId: owner.keyId, livemode: true },
      { action: 'task.cancelled', objectId: cancelled.id, operator: 'ada' },
    ]);
    const ofPurge = events.slice(5);
    const expected: AuditAction[] = ['project.suspended', 'project.purge_started', 'project.purged'];
    expect(ofPurge.map(({ action }) => action)).toEqual(expect.arrayContaining(expected));
    expect(ofPurge.filter(({ action }) => action === 'task.deleted')).toHaveLength(2);
    expect(ofPurge.find(({ action }) => action === 'project.purged')?.detail).toMatchObject({ tasks: 2 });
  });

  it('a change that fails is not recorded, and neither is one without effect', async () => {
    const { project, owner } = await newOwner();
    const stranger = (await newOwner()).owner;
    const task = await world.accept(project);
    await expect(deleteTask(parts(), stranger, task.id)).rejects.toMatchObject({ code: 'task_not_found' });
    await expect(deleteWebhookEndpoint(world, owner, owner, strayId('whk', new Date()))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await eventsOf(project.id)).toEqual([]);
    expect(await eventsOf(stranger.projectId)).toEqual([]);
  });

  it('a prompt is revealed only with a reason, which is recorded and hidden from the project', async () => {
    const { project, owner } = await newOwner();
    const task = await world.accept(project, { request: { prompt: 'a reported prompt' } });
    await expect(revealTask(world, operator, { taskId: task.id, reason: ' ' })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    expect(await eventsOf(project.id)).toEqual([]);
    const reason = 'report 4711';
    expect(await revealTask(world, operator, { taskId: task.id, reason })).toMatchObject({
      prompt: 'a reported prompt',
    });
    expect(await eventsOf(project.id)).toMatchObject([
      { action: 'task.revealed', objectId: task.id, operator: 'ada', detail: { reason } },
    ]);
    expect((await listAuditEvents(world, owner, page)).events).toEqual([]);
  });

  it('is read page by page in one project and mode, by action, key and time', async () => {
    const { project, owner } = await newOwner();
    const stranger = (await newOwner()).owner;
    const add = (action: AuditAction, of: Parameters<typeof auditEventOf>[1]['of'], actor = owner) =>
      world.db.auditEvents.insert([auditEventOf(actor, { action, of }, world.clock.now())]);
    const startedAt = world.clock.now();
    const later = { ...owner, keyId: strayId('key', new Date()) };
    await inTurn(
      () => add('file.deleted', undefined),
      () => add('task.deleted', undefined, later),
      () => add('project.changed', { projectId: project.id }),
      () => add('file.deleted', { projectId: project.id, livemode: false }),
      () => add('file.deleted', undefined, stranger),
    );
    const actionsOf = async (more: Partial<Parameters<typeof listAuditEvents>[2]>) => {
      const { events, hasMore } = await listAuditEvents(world, owner, { ...page, ...more });
      return [...events.map(({ action }) => action), ...(hasMore ? ['more'] : [])];
    };
    expect(await actionsOf({})).toEqual(['file.deleted', 'task.deleted', 'project.changed']);
    expect(await actionsOf({ order: 'desc', limit: 2 })).toEqual(['project.changed', 'task.deleted', 'more']);
    const [first] = (await listAuditEvents(world, owner, page)).events;
    expect(await actionsOf({ after: first?.id ?? '' })).toEqual(['task.deleted', 'project.changed']);
    expect(await actionsOf({ filter: { action: 'task.deleted' } })).toEqual(['task.deleted']);
    expect(await actionsOf({ filter: { keyId: later.keyId } })).toEqual(['task.deleted']);
    expect(await actionsOf({ filter: { keyId: 'key_x' } })).toEqual([]);
    const second = new Date(startedAt.getTime() + 1000);
    expect(await actionsOf({ filter: { createdAfter: second } })).toEqual(['task.deleted', 'project.changed']);
    expect(await actionsOf({ filter: { createdBefore: second } })).toEqual(['file.deleted']);
    await expect(actionsOf({ after: 'task_x' })).rejects.toMatchObject({ code: 'invalid_parameter', param: 'after' });
  });

  it('can neither be changed nor truncated, and only old events can be deleted', async () => {
    const { project, owner } = await newOwner();
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    const eventOf = (days: number): AuditEvent => auditEventOf(owner, { action: 'file.deleted' }, daysAgo(days));
    await world.db.auditEvents.insert([eventOf(1), eventOf(28), eventOf(401), eventOf(402), eventOf(403)]);
    const refused = /audit events cannot be changed/;
    const run = (text: string) => sql.raw(text).execute(world.db.kysely);
    await expect(run(`update audit_events set detail = '{}'`)).rejects.toThrow(refused);
    await expect(run('delete from audit_events')).rejects.toThrow(refused);
    await expect(run('truncate audit_events')).rejects.toThrow(refused);
    expect(await eventsOf(project.id)).toHaveLength(5);
    expect(await world.db.auditEvents.deleteOlderThan(daysAgo(400), 2)).toBe(2);
    expect(await world.db.auditEvents.deleteOlderThan(daysAgo(400), 2)).toBe(1);
    expect(await eventsOf(project.id)).toHaveLength(2);
  });
});

describe('refused keys', () => {
  const addressOf = (index: number) => `198.51.100.${index}`;
  const refusalsFrom = async (addresses: readonly (string | null)[]) =>
    (await world.db.auditLog.pageOfAll(null, { ...page, limit: 1000, filter: { action: 'api_key.refused' } })).filter(
      ({ address }) => addresses.includes(address),
    );

  it('unknown keys are counted per minute and address; a revoked key is shown to its project', async () => {
    const refused = createRefusedKeys(world);
    const { project } = await newOwner();
    const { id, key } = await createApiKey(world, operator, { projectId: project.id, livemode: false, name: 'old' });
    const unknown = [generateApiKey(true, '00'), generateApiKey(true, '00')];
    for (const one of unknown) refused.note(one, 'invalid_api_key', addressOf(1));
    for (let count = 0; count < 3; count += 1) refused.note(key, 'revoked_api_key', addressOf(1));
    refused.note('mistyped', 'invalid_api_key', addressOf(2));
    refused.note(unknown[0] ?? '', 'rate_limited', addressOf(2));
    await refused.close();
    const events = await refusalsFrom([addressOf(1), addressOf(2)]);
    expect(events.toSorted((one, other) => Number(one.detail.count) - Number(other.detail.count))).toMatchObject([
      { projectId: null, detail: { code: 'invalid_api_key', count: 2, last_four: unknown[1]?.slice(-4) } },
      { projectId: project.id, livemode: false, objectId: id, detail: { code: 'revoked_api_key', count: 3 } },
    ]);
    for (const one of [...unknown, key]) expect(JSON.stringify(events)).not.toContain(one.slice(9, 30));
  });

  it('an attack from many addresses makes at most 61 events per minute, which count all of it', async () => {
    const refused = createRefusedKeys(world);
    const key = generateApiKey(true, '00');
    const before = (await refusalsFrom([null])).length;
    for (let index = 0; index < 5_000; index += 1)
      refused.note(key, 'invalid_api_key', `10.0.${index >> 8}.${index & 255}`);
    await refused.close();
    const events = await world.db.auditLog.pageOfAll(null, {
      ...page,
      limit: 1000,
      filter: { action: 'api_key.refused' },
    });
    const ofAttack = events.filter(({ address }) => address === null || address.startsWith('10.0.'));
    expect(ofAttack.length - before).toBe(61);
    expect(ofAttack.reduce((sum, { detail }) => sum + Number(detail.count), 0)).toBe(5_000);
  });
});
