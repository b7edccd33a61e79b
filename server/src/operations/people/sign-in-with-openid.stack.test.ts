import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRole } from '../../domain/group-roles.ts';
import { newProjectId } from '../../domain/id.ts';
import { freshSignInMilliseconds } from '../../domain/person.ts';
import { operator, useWorld } from '../operations.fixture.ts';
import { createProject } from '../projects/create-project.ts';
import { changePerson } from './change-person.ts';
import { createPerson } from './create-person.ts';
import { sha256OfSecret } from './open-session.ts';
import { type ProvenIdentity, signInWithOpenid } from './sign-in-with-openid.ts';

const origin = { address: '192.0.2.1', userAgent: 'test', requestId: 'req_1' };
const consoleUrl = 'https://console.example.com';
const world = useWorld(1);
let projectId: string;
let otherProjectId: string;
let groupRoles: GroupRole[];

beforeAll(async () => {
  projectId = (await createProject(world, operator, 'one')).id;
  otherProjectId = (await createProject(world, operator, 'other')).id;
  groupRoles = [
    { group: 'ops', isOperator: true },
    { group: 'team', projectId, role: 'developer' },
    { group: 'team', projectId: newProjectId(new Date(0)), role: 'admin' },
  ];
});

let number = 0;
/** Makes somebody whom the provider knows and we do not. */
function somebody(changed: Partial<ProvenIdentity> = {}): ProvenIdentity {
  number += 1;
  const email = `person${number}@example.com`;
  const issuer = 'https://login.example.com';
  const proven = { isEmailVerified: true, name: `Person ${number}`, authenticatedAt: null };
  return { issuer, subject: `subject-${number}`, email, groups: ['team'], ...proven, ...changed };
}

const tryToSignIn = (identity: ProvenIdentity) =>
  signInWithOpenid({ ...world, sessionHours: 24, groupRoles }, identity, origin);

async function signIn(identity: ProvenIdentity) {
  const result = await tryToSignIn(identity);
  if ('problem' in result) throw new Error(`refused: ${result.problem}`);
  return result;
}

const rolesOf = async (personId: string) =>
  (await world.db.projectMembers.ofPerson(personId)).map((one) => [one.projectId, one.role]);

const invite = async (email: string) =>
  (await createPerson({ ...world, consoleUrl }, operator, { email, isOperator: false })).person;

describe('people who sign in with OpenID Connect', () => {
  it('need no invitation if a group gives them a role', async () => {
    const identity = somebody();
    const { person, secret } = await signIn(identity);
    expect(person).toMatchObject({ email: identity.email, name: identity.name, isOperator: false });
    expect(await rolesOf(person.id)).toEqual([[projectId, 'developer']]);
    const signedIn = await world.db.consoleSessions.findByHash(sha256OfSecret(secret), world.clock.now());
    expect(signedIn).toMatchObject({ person: { id: person.id }, session: { method: 'openid' } });
  });

  it('are refused without a group that gives a role, and the audit log says why', async () => {
    const identity = somebody({ groups: ['unknown'] });
    expect(await tryToSignIn(identity)).toEqual({ problem: 'no_role' });
    const page = { filter: { action: 'person.sign_in_refused' }, after: null, limit: 100, order: 'desc' } as const;
    const events = await world.db.auditLog.pageOfAll(null, page);
    expect(events.filter(({ detail }) => detail['subject'] === identity.subject)).toMatchObject([
      { detail: { reason: 'no_role' }, address: '192.0.2.1' },
    ]);
  });

  it('are found by issuer and subject only, whatever their address is now', async () => {
    const identity = somebody();
    const { person } = await signIn(identity);
    const renamed = { ...identity, email: 'new@example.com', isEmailVerified: false };
    expect((await signIn(renamed)).person.id).toBe(person.id);
  });

  it('cannot take over an account by its address, neither as another subject nor from another issuer', async () => {
    const identity = somebody({ groups: ['ops', 'team'] });
    await signIn(identity);
    expect(await tryToSignIn({ ...identity, subject: 'another' })).toEqual({ problem: 'email_taken' });
    expect(await tryToSignIn({ ...identity, issuer: 'https://evil.example' })).toEqual({ problem: 'email_taken' });
    const shouted = identity.email?.toUpperCase() ?? '';
    expect(await tryToSignIn({ ...identity, subject: 'another', email: shouted })).toEqual({ problem: 'email_taken' });
  });

  it('cannot take over the account of somebody who has a password', async () => {
    const identity = somebody();
    const person = await invite(identity.email ?? '');
    await world.db.people.setPassword(person.id, '$argon2id$');
    expect(await tryToSignIn(identity)).toEqual({ problem: 'email_taken' });
  });

  it('cannot use an address that the provider has not verified', async () => {
    const identity = somebody({ isEmailVerified: false });
    await invite(identity.email ?? '');
    expect(await tryToSignIn(identity)).toEqual({ problem: 'email_not_verified' });
    expect(await tryToSignIn(somebody({ isEmailVerified: false }))).toEqual({ problem: 'email_not_verified' });
    expect(await tryToSignIn(somebody({ email: null }))).toEqual({ problem: 'email_not_verified' });
  });

  it('get the account that they were invited to, and the link of the invitation stops working', async () => {
    const identity = somebody({ groups: [] });
    const { person: invited, setupUrl } = await createPerson({ ...world, consoleUrl }, operator, {
      email: identity.email ?? '',
      isOperator: false,
    });
    expect((await signIn(identity)).person.id).toBe(invited.id);
    const secret = setupUrl.split('#token=')[1] ?? '';
    expect(await world.db.signInTokens.takeOfPerson(sha256OfSecret(secret), world.clock.now())).toBeNull();
  });

  it('lose a role with its group at the next sign-in, and keep roles that people have given', async () => {
    const identity = somebody();
    const { person } = await signIn(identity);
    await world.db.projectMembers.set(otherProjectId, person.id, 'viewer', world.clock.now());
    await signIn({ ...identity, groups: [] });
    expect(await rolesOf(person.id)).toEqual([[otherProjectId, 'viewer']]);
  });

  it('keep a role that somebody has given instead of the one from a group', async () => {
    const identity = somebody();
    const { person } = await signIn(identity);
    await world.db.projectMembers.set(projectId, person.id, 'admin', world.clock.now());
    await signIn(identity);
    expect(await rolesOf(person.id)).toEqual([[projectId, 'admin']]);
  });

  it('are operators while they are in a group that makes operators', async () => {
    const identity = somebody({ groups: ['ops'] });
    expect((await signIn(identity)).person.isOperator).toBe(true);
    const { person } = await signIn({ ...identity, groups: [] });
    expect(person.isOperator).toBe(false);
    expect(await world.db.people.find(person.id)).toMatchObject({ isOperator: false });
  });

  it('are refused while they are disabled', async () => {
    const identity = somebody();
    const { person } = await signIn(identity);
    await changePerson(world, operator, person.id, { isDisabled: true });
    expect(await tryToSignIn(identity)).toEqual({ problem: 'disabled' });
    const invited = somebody();
    await changePerson(world, operator, (await invite(invited.email ?? '')).id, { isDisabled: true });
    expect(await tryToSignIn(invited)).toEqual({ problem: 'disabled' });
  });

  it('have a fresh sign-in only if the provider says that they have just entered their credentials', async () => {
    const now = world.clock.now();
    const { session } = await signIn(somebody());
    expect(now.getTime() - session.signedInAt.getTime()).toBeGreaterThanOrEqual(freshSignInMilliseconds - 1000);
    const earlier = new Date(now.getTime() - 60_000);
    expect((await signIn(somebody({ authenticatedAt: earlier }))).session.signedInAt).toEqual(earlier);
  });

  it('become one person if they sign in for the first time in several windows', async () => {
    const identity = somebody();
    const results = await Promise.all(Array.from({ length: 5 }, () => signIn(identity)));
    expect(new Set(results.map(({ person }) => person.id)).size).toBe(1);
  });
});
