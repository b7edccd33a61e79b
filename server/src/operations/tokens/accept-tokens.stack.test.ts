import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { scopes as allScopes } from '../../domain/caller.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { newId, uuidFromId } from '../../domain/id.ts';
import { type ProjectRole, scopesOfPerson } from '../../domain/person.ts';
import { authenticate as authenticateKey } from '../keys/authenticate.ts';
import { createAuthenticator } from '../keys/authenticator.ts';
import { createApiKey } from '../keys/create-api-key.ts';
import { grantApiKey } from '../keys/grant-api-key.ts';
import { listApiKeys } from '../keys/list-api-keys.ts';
import { revokeAllApiKeys, revokeApiKey } from '../keys/revoke-api-key.ts';
import { rotateApiKey } from '../keys/rotate-api-key.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { ensurePersonKey } from '../people/ensure-person-key.ts';
import { acceptTokens } from './accept-tokens.ts';
import { type AccessToken, createAccessTokens } from './access-tokens.ts';
import { grantAccessToken } from './grant-access-token.ts';

const world = useWorld(3);

const clock = clockAt(() => world.clock.now());
const accessTokens = createAccessTokens({ secretKeys: ['a secret of this test'], clock });
const refusal = new Error('over the limit');
const refuse = () => {
  throw refusal;
};
const allow = () => undefined;
const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

/** Accepts tokens and counts their lookups. */
function startAccepting() {
  let lookups = 0;
  const { db } = world;
  const findById: typeof db.apiKeys.findById = (...lookup) => {
    lookups += 1;
    return db.apiKeys.findById(...lookup);
  };
  const counting = { apiKeys: { ...db.apiKeys, findById } };
  const authenticator = createAuthenticator(world);
  const { authenticate } = acceptTokens({ db: counting, clock, accessTokens, authenticator });
  return { authenticate, lookups: () => lookups };
}

const callerOfText = async (text: string) => (await startAccepting().authenticate(text, allow)).caller;

async function newKey(project: Project, options: Partial<Parameters<typeof createApiKey>[2]> = {}) {
  return createApiKey(world, operator, { projectId: project.id, livemode: true, name: 'a key', ...options });
}

/** Makes a token with a key, as POST /v1/tokens does. */
async function grant(key: string, token: Partial<Parameters<typeof grantAccessToken>[2]> = {}) {
  const caller = await authenticateKey(world, key);
  return grantAccessToken({ db: world.db, clock, accessTokens }, caller, { taskId: null, seconds: 600, ...token });
}

const uuid = (prefix: 'person' | 'sess' | 'proj', id: string) => uuidFromId(prefix, id) ?? '';

/** Creates a person with a session who is a member of a project. */
async function newMember(project: Project, role: ProjectRole | null, { isOperator = false } = {}) {
  const { kysely } = world.db;
  const now = clock.now();
  const person = { id: newId('person', now), name: 'Ada' };
  const sessionId = newId('sess', now);
  const personUuid = uuid('person', person.id);
  await kysely
    .insertInto('people')
    .values({
      id: personUuid,
      email: `${person.id}@example.com`,
      name: person.name,
      password_hash: null,
      is_operator: isOperator,
      created_at: now,
      last_signed_in_at: now,
      disabled_at: null,
    })
    .execute();
  await kysely
    .insertInto('console_sessions')
    .values({
      id: uuid('sess', sessionId),
      person_id: personUuid,
      sha256: randomBytes(32),
      method: 'password',
      created_at: now,
      signed_in_at: now,
      last_used_at: now,
      expires_at: inSeconds(86_400),
      ended_at: null,
      address: null,
      user_agent: null,
    })
    .execute();
  const setRole = async (next: ProjectRole | null) => {
    const projectUuid = uuid('proj', project.id);
    await kysely.deleteFrom('project_members').where('person_id', '=', personUuid).execute();
    if (next === null) return;
    const row = { project_id: projectUuid, person_id: personUuid, role: next, created_at: now };
    await kysely.insertInto('project_members').values(row).execute();
  };
  await setRole(role);
  const owner = { projectId: project.id, livemode: true };
  const keyId = await world.db.transaction((tables) => ensurePersonKey(tables, { person, owner, now }));
  const issue = (token: Partial<AccessToken> = {}) =>
    accessTokens.issue({ keyId, sessionId, scopes: allScopes, taskId: null, expiresAt: inSeconds(600), ...token });
  const setSession = (set: { ended_at?: Date; expires_at?: Date }) =>
    kysely.updateTable('console_sessions').set(set).where('id', '=', uuid('sess', sessionId)).execute();
  const disable = () => kysely.updateTable('people').set({ disabled_at: now }).where('id', '=', personUuid).execute();
  return { person, sessionId, keyId, owner, issue, setRole, setSession, disable, signedInAt: now };
}

describe('tokens that a key made', () => {
  it('a token identifies its key, project, mode and limits, and has only its own scopes', async () => {
    const project = await world.newProject();
    const { id, key } = await newKey(project, { scopes: ['videos:read', 'videos:write'] });
    const token = await grant(key, { scopes: ['videos:read'] });
    const caller = await callerOfText(token.text);
    const { scopes, expiresAt, ...rest } = await authenticateKey(world, key);
    expect(caller).toEqual({
      ...rest,
      keyId: id,
      scopes: ['videos:read'],
      expiresAt: token.expiresAt,
      tokenExpiresAt: token.expiresAt,
    });
    expect([scopes, expiresAt]).toEqual([['videos:read', 'videos:write'], null]);
  });

  it('a token gets the scopes of its key except those that must be named, and never more than the key has', async () => {
    const project = await world.newProject();
    const all = await newKey(project);
    expect((await grant(all.key)).scopes).toEqual(['videos:read', 'videos:write', 'files:write', 'usage:read']);
    expect((await grant(all.key, { scopes: ['keys:manage'] })).scopes).toEqual(['keys:manage']);
    const weak = await newKey(project, { scopes: ['videos:read'] });
    await expect(grant(weak.key, { scopes: ['videos:write'] })).rejects.toMatchObject({ code: 'insufficient_scope' });
    const auditor = await newKey(project, { scopes: ['audit:read'] });
    await expect(grant(auditor.key)).rejects.toMatchObject({ code: 'missing_parameter', param: 'scopes' });
  });

  it('a token makes no tokens, and keys that it makes end with it', async () => {
    const project = await world.newProject();
    const { key } = await newKey(project);
    const token = await grant(key, { scopes: ['videos:read', 'keys:manage'] });
    const caller = await callerOfText(token.text);
    for (const scopes of [caller.scopes, ['audit:read'] as const]) {
      const again = { ...caller, scopes };
      const made = grantAccessToken({ db: world.db, clock, accessTokens }, again, { taskId: null, seconds: 600 });
      await expect(made).rejects.toMatchObject({ code: 'insufficient_scope' });
    }
    expect(await grantApiKey(world, caller, { name: 'made by a token' })).toMatchObject({ expiresAt: token.expiresAt });
    const later = { name: 'later', expiresAt: new Date(token.expiresAt.getTime() + 1) };
    await expect(grantApiKey(world, caller, later)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('a token ends with its expiry, and no later than its key', async () => {
    const project = await world.newProject();
    const { key } = await newKey(project);
    const short = await grant(key, { seconds: 10 });
    expect(await callerOfText(short.text)).toMatchObject({ projectId: project.id });
    await world.moveClock(10);
    await expect(callerOfText(short.text)).rejects.toMatchObject({ code: 'expired_api_key' });
    const expiring = await newKey(project, { expiresAt: inSeconds(60) });
    const bounded = await grant(expiring.key);
    expect(bounded.expiresAt.getTime()).toBeLessThanOrEqual(inSeconds(60).getTime());
    await world.moveClock(60);
    await expect(callerOfText(bounded.text)).rejects.toMatchObject({ code: 'expired_api_key' });
  });

  it('a token dies with its key at the next request, and shows when its project is suspended', async () => {
    const project = await world.newProject();
    const { id, key } = await newKey(project);
    const { text } = await grant(key);
    const { authenticate } = startAccepting();
    expect((await authenticate(text, refuse)).caller.isSuspended).toBe(false);
    await world.db.projects.set(project.id, { isSuspended: true }, clock.now());
    expect((await authenticate(text, refuse)).caller.isSuspended).toBe(true);
    await revokeApiKey(world, { keyId: id, actor: operator });
    await expect(authenticate(text, refuse)).rejects.toMatchObject({ code: 'revoked_api_key' });
  });

  it('a token also reads the task of its project and mode, in the same statement', async () => {
    const [project, other] = [await world.newProject(), await world.newProject()];
    const { key } = await newKey(project);
    const { text } = await grant(key);
    const { authenticate, lookups } = startAccepting();
    const own = await world.accept(project);
    expect((await authenticate(text, refuse, own.id)).view?.task.id).toBe(own.id);
    for (const foreign of [await world.accept(project, { livemode: false }), await world.accept(other)]) {
      expect((await authenticate(text, refuse, foreign.id)).view).toBeNull();
    }
    expect(lookups()).toBe(3);
  });

  it('a token is made for one task only if the key can read the task', async () => {
    const [project, other] = [await world.newProject(), await world.newProject()];
    const { key } = await newKey(project);
    const own = await world.accept(project);
    const { text, taskId } = await grant(key, { taskId: own.id });
    expect(taskId).toBe(own.id);
    expect(await callerOfText(text)).toMatchObject({ onlyTaskId: own.id });
    for (const foreign of [(await world.accept(other)).id, strayId('task', clock.now()), 'nonsense']) {
      await expect(grant(key, { taskId: foreign })).rejects.toMatchObject({ code: 'task_not_found' });
    }
  });

  it('made-up and expired tokens cost no query and count against the address; so do refused ones', async () => {
    const project = await world.newProject();
    const { id, key } = await newKey(project);
    const { text, expiresAt, ...token } = await grant(key);
    const { authenticate, lookups } = startAccepting();
    const stranger = createAccessTokens({ secretKeys: ['another secret'], clock });
    const whole = { ...token, expiresAt, keyId: id, sessionId: null };
    const madeUp = [
      stranger.issue(whole),
      text.slice(0, -1),
      'kin_token_',
      accessTokens.issue({ ...whole, expiresAt: clock.now() }),
    ];
    for (const one of madeUp) await expect(authenticate(one, refuse)).rejects.toBe(refusal);
    const codes = await Promise.all(madeUp.map((one) => authenticate(one, allow).catch(({ code }) => code)));
    expect(codes).toEqual(['invalid_api_key', 'invalid_api_key', 'invalid_api_key', 'expired_api_key']);
    expect(lookups()).toBe(0);
    await revokeApiKey(world, { keyId: id, actor: operator });
    await expect(authenticate(text, refuse)).rejects.toMatchObject({ code: 'revoked_api_key' });
    await expect(authenticate(text, refuse)).rejects.toBe(refusal);
    expect(lookups()).toBe(1);
  });

  it('a key is still authenticated as before', async () => {
    const { key, id } = await newKey(await world.newProject());
    expect(await callerOfText(key)).toMatchObject({ keyId: id, expiresAt: null });
  });
});

describe("tokens of a person's session", () => {
  it.each(['viewer', 'developer', 'admin'] as const)('a %s gets the scopes of the role', async (role) => {
    const project = await world.newProject();
    const member = await newMember(project, role);
    expect(await callerOfText(member.issue())).toMatchObject({
      keyId: member.keyId,
      projectId: project.id,
      livemode: true,
      scopes: scopesOfPerson({ isOperator: false, role }),
      expiresAt: null,
      person: { id: member.person.id, sessionId: member.sessionId, signedInAt: member.signedInAt },
    });
    expect(await callerOfText(member.issue({ scopes: ['usage:read'] }))).toMatchObject({ scopes: ['usage:read'] });
  });

  it('a role that was changed counts from the next request, and an operator needs none', async () => {
    const project = await world.newProject();
    const member = await newMember(project, 'admin');
    const text = member.issue();
    expect((await callerOfText(text)).scopes).toEqual(allScopes);
    await member.setRole('viewer');
    expect((await callerOfText(text)).scopes).toEqual(['videos:read', 'usage:read']);
    const operating = await newMember(project, null, { isOperator: true });
    expect((await callerOfText(operating.issue())).scopes).toEqual(allScopes);
  });

  it('a token dies at the next request with its session, its person or their membership', async () => {
    const project = await world.newProject();
    const endings: [string, (member: Awaited<ReturnType<typeof newMember>>) => Promise<unknown>][] = [
      ['ended', ({ setSession }) => setSession({ ended_at: clock.now() })],
      ['expired', ({ setSession }) => setSession({ expires_at: clock.now() })],
      ['disabled', ({ disable }) => disable()],
      ['removed', ({ setRole }) => setRole(null)],
    ];
    for (const [name, end] of endings) {
      const member = await newMember(project, 'admin');
      const other = await newMember(project, 'admin');
      const { authenticate } = startAccepting();
      const text = member.issue();
      expect((await authenticate(text, refuse)).caller.keyId).toBe(member.keyId);
      const user = { keyId: member.keyId, sessionId: member.sessionId };
      const neighbour = { keyId: other.keyId, sessionId: other.sessionId };
      const refusals = () => world.db.apiKeys.refused([neighbour, user], clock.now());
      expect(await refusals()).toEqual([null, null]);
      await end(member);
      const code = await authenticate(text, refuse).catch((error) => error.code);
      expect([name, code, await refusals()]).toEqual([name, 'revoked_api_key', [null, 'revoked_api_key']]);
      expect((await authenticate(other.issue(), refuse)).caller.keyId).toBe(other.keyId);
    }
  });

  it('a session uses no key but those of its person, and the key of a person needs a session', async () => {
    const project = await world.newProject();
    const [member, other] = [await newMember(project, 'viewer'), await newMember(project, 'admin')];
    const { id } = await newKey(project);
    for (const token of [{ keyId: other.keyId }, { keyId: id }, { sessionId: null }]) {
      await expect(callerOfText(member.issue(token))).rejects.toMatchObject({ code: 'revoked_api_key' });
    }
    const nobody = { keyId: strayId('key', clock.now()) };
    await expect(callerOfText(member.issue(nobody))).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('a person has one key in each project and mode, which follows their name', async () => {
    const project = await world.newProject();
    const { person, owner, keyId } = await newMember(project, 'admin');
    const ensure = (name: string, livemode: boolean) =>
      world.db.transaction((tables) =>
        ensurePersonKey(tables, { person: { ...person, name }, owner: { ...owner, livemode }, now: clock.now() }),
      );
    expect(await ensure('Ada Lovelace', true)).toBe(keyId);
    const test = await ensure('Ada', false);
    expect(test).not.toBe(keyId);
    expect(await ensure('Ada', false)).toBe(test);
    const rows = await world.db.kysely
      .selectFrom('api_keys')
      .select(['name', 'livemode'])
      .where('person_id', '=', uuid('person', person.id))
      .orderBy('livemode')
      .execute();
    expect(rows).toEqual([
      { name: 'Ada', livemode: false },
      { name: 'Ada Lovelace', livemode: true },
    ]);
  });

  it("a person's key is neither listed, counted, rotated nor revoked, not even with all keys of the project", async () => {
    const project = await world.newProject();
    const { keyId, owner, issue } = await newMember(project, 'admin');
    const { id, key } = await newKey(project);
    const caller = await authenticateKey(world, key);
    const page = { after: null, limit: 10, order: 'desc' } as const;
    expect((await listApiKeys(world, caller, page)).keys.map((one) => one.id)).toEqual([id]);
    await expect(listApiKeys(world, caller, { ...page, after: keyId })).rejects.toMatchObject({ param: 'after' });
    expect(await world.db.apiKeys.countValid(owner, clock.now())).toBe(1);
    for (const actor of [caller, operator, await callerOfText(issue())]) {
      const rotation = rotateApiKey(world, { keyId, overlapSeconds: 0, actor });
      await expect(rotation).rejects.toMatchObject({ code: 'not_found' });
      await expect(revokeApiKey(world, { keyId, actor })).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await revokeAllApiKeys(world, operator, project.id)).toEqual([id]);
    expect(await callerOfText(issue())).toMatchObject({ keyId });
  });

  it('an admin makes keys that last, which name their maker, unless the session ended meanwhile', async () => {
    const project = await world.newProject();
    const member = await newMember(project, 'admin');
    const caller = await callerOfText(member.issue());
    const made = await grantApiKey(world, caller, { name: 'lasting' });
    expect(made).toMatchObject({ expiresAt: null, createdByKeyId: member.keyId });
    const [event] = await world.db.kysely
      .selectFrom('audit_events')
      .select(['action', 'person_id'])
      .where('project_id', '=', uuid('proj', project.id))
      .where('person_id', 'is not', null)
      .execute();
    expect(event).toEqual({ action: 'api_key.created', person_id: uuid('person', member.person.id) });
    await member.setSession({ ended_at: clock.now() });
    await expect(grantApiKey(world, caller, { name: 'late' })).rejects.toMatchObject({ code: 'revoked_api_key' });
  });
});
