import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { newWebhookSecret } from '../../webhooks/sign.ts';
import { callerOf, useWorldPerTest } from '../operations.fixture.ts';
import { readCallbackSecret, rotateCallbackSecret } from './callback-secret.ts';
import { createWebhookEndpoint } from './create-webhook-endpoint.ts';
import { reviewSecrets, rewrapSecrets } from './rewrap-secrets.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { rowOfEndpoint, secretsInUse } from './webhook-secrets.ts';

const [oldKey, newKey] = ['the-key-that-is-about-to-be-retired', 'the-key-that-takes-its-place-today'];
const withKeys = (...keys: string[]) => ({ box: createSecretBox(keys), newSecret: newWebhookSecret });
const [old, rotating, rotated] = [withKeys(oldKey), withKeys(newKey, oldKey), withKeys(newKey)];
type Tools = typeof old;

// Each test counts the rows of all projects, so each has a database of its own.
const world = useWorldPerTest();

const review = (tools: Tools) => reviewSecrets({ ...world, ...tools });
const rewrap = (tools: Tools, replaceLost = false) => rewrapSecrets({ ...world, ...tools }, { replaceLost });

async function newEndpoint(project: Project, tools: Tools = old) {
  const given = { url: 'https://example.com/', description: '', events: [] };
  const { endpoint, secret } = await createWebhookEndpoint({ ...world, ...tools }, callerOf(project), given);
  return { id: endpoint.id, secret };
}

async function secretsOf(id: string, tools: Tools): Promise<string[] | null> {
  const endpoint = await world.db.webhookEndpoints.findSealed(id);
  if (!endpoint) throw new Error('there is no such endpoint');
  return secretsInUse(tools.box, rowOfEndpoint(id), endpoint.sealed, world.clock.now());
}

describe('secrets rewrap', () => {
  it('keeps every endpoint and callback secret, the previous ones included, and removes the need for the old key', async () => {
    const project = await world.newProject();
    const owner = callerOf(project);
    const plain = await newEndpoint(project);
    const overlapping = await newEndpoint(project);
    const { secret: next } = await rotateWebhookSecret({ ...world, ...old }, owner, overlapping.id, 3600);
    await readCallbackSecret({ ...world, ...old }, owner);
    const callbacks = await rotateCallbackSecret({ ...world, ...old }, owner, 3600);
    const testCallbacks = await readCallbackSecret({ ...world, ...old }, { ...owner, livemode: false });
    expect(await review(rotating)).toEqual({ underOtherKeys: 4, unreadable: [] });
    expect((await review(rotated)).unreadable).toHaveLength(4);

    expect(await rewrap(rotating)).toEqual({ resealed: 4, replaced: [], unreadable: [] });
    expect(await review(rotated)).toEqual({ underOtherKeys: 0, unreadable: [] });
    expect(await secretsOf(plain.id, rotated)).toEqual([plain.secret]);
    expect(await secretsOf(overlapping.id, rotated)).toEqual([next, overlapping.secret]);
    expect(await readCallbackSecret({ ...world, ...rotated }, owner)).toEqual(callbacks);
    expect(await readCallbackSecret({ ...world, ...rotated }, { ...owner, livemode: false })).toEqual(testCallbacks);
    expect(await rewrap(rotating)).toEqual({ resealed: 0, replaced: [], unreadable: [] });
  });

  it('gets through more rows than one batch, of both tables, also if several run at once beside processes that rotate secrets', async () => {
    const projects = [];
    for (let count = 0; count < 26; count += 1) projects.push(await world.newProject());
    const endpoints: string[] = [];
    for (const project of projects) {
      for (let count = 0; count < 3; count += 1) endpoints.push((await newEndpoint(project)).id);
      for (const livemode of [true, false]) await readCallbackSecret({ ...world, ...old }, callerOf(project, livemode));
    }
    const rotations = projects.map(async (project, index) => {
      const id = endpoints[index * 3] ?? '';
      // Half of the processes have not been restarted with the new key in front.
      const tools = index % 2 === 0 ? withKeys(oldKey, newKey) : rotating;
      const { secret } = await rotateWebhookSecret({ ...world, ...tools }, callerOf(project), id, 3600);
      return { id, secret };
    });
    const [changed] = await Promise.all([Promise.all(rotations), rewrap(rotating), rewrap(rotating)]);
    await rewrap(rotating); // those that the rotations sealed with the old key after their row had been seen
    expect(await review(rotated)).toEqual({ underOtherKeys: 0, unreadable: [] });
    for (const { id, secret } of changed) expect((await secretsOf(id, rotated))?.[0]).toBe(secret);
  });

  it('does not overwrite secrets that their owner replaced after they were read', async () => {
    const project = await world.newProject();
    const { id } = await newEndpoint(project);
    const stale = await world.db.webhookEndpoints.findSealed(id);
    const { secret } = await rotateWebhookSecret({ ...world, ...old }, callerOf(project), id, 0);
    if (!stale) throw new Error('there is no such endpoint');
    expect(await world.db.webhookEndpoints.reseal(id, stale.sealed, stale.sealed)).toBe(false);
    expect(await secretsOf(id, old)).toEqual([secret]);
    const owner = callerOf(project);
    await readCallbackSecret({ ...world, ...old }, owner);
    const callbacks = await world.db.callbackSecrets.find(owner);
    const next = await rotateCallbackSecret({ ...world, ...old }, owner, 3600);
    if (!callbacks) throw new Error('there is no callback secret');
    expect(await world.db.callbackSecrets.reseal(owner, callbacks, callbacks)).toBe(false);
    expect((await readCallbackSecret({ ...world, ...old }, owner)).secret).toBe(next.secret);
  });

  it('reports rows that no key opens and leaves them alone; told to, it replaces exactly these', async () => {
    const project = await world.newProject();
    const lost = await newEndpoint(project, withKeys('a-key-that-nobody-has-kept-a-copy-of'));
    await world.moveClock(1); // rows are visited in the order of their ids, which begin with the time
    const halfLost = await newEndpoint(project, withKeys('a-key-that-nobody-has-kept-a-copy-of'));
    const both = withKeys(oldKey, 'a-key-that-nobody-has-kept-a-copy-of');
    const { secret } = await rotateWebhookSecret({ ...world, ...both }, callerOf(project), halfLost.id, 3600);
    const previous = await world.db.webhookEndpoints.findSealed(halfLost.id);
    if (!previous) throw new Error('there is no such endpoint');
    const damaged = { ...previous.sealed, previousSecret: Buffer.from('nothing that was ever sealed') };
    await world.db.webhookEndpoints.replaceSecrets(halfLost.id, damaged);
    const kept = await newEndpoint(project);
    const unreadable = [rowOfEndpoint(lost.id), rowOfEndpoint(halfLost.id)];
    expect(await rewrap(rotating)).toEqual({ resealed: 1, replaced: [], unreadable });
    expect(await review(rotating)).toEqual({ underOtherKeys: 0, unreadable });
    expect(await rewrap(rotating, true)).toEqual({ resealed: 0, replaced: unreadable, unreadable: [] });
    expect(await review(rotated)).toEqual({ underOtherKeys: 0, unreadable: [] });
    expect(await secretsOf(kept.id, rotated)).toEqual([kept.secret]);
    expect(await secretsOf(halfLost.id, rotated)).toEqual([secret]);
    expect(await secretsOf(lost.id, rotated)).not.toEqual([lost.secret]);
  });

  it('ignores previous secrets that have expired, and drops them', async () => {
    const project = await world.newProject();
    const { id } = await newEndpoint(project);
    await rotateWebhookSecret({ ...world, ...withKeys(oldKey) }, callerOf(project), id, 60);
    await world.moveClock(61);
    await rewrap(rotating);
    expect(await world.db.webhookEndpoints.findSealed(id)).toMatchObject({ sealed: { previousSecret: null } });
  });
});
