import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditAction } from '../../domain/audit-event.ts';
import { newId, newProjectId, uuidFromId } from '../../domain/id.ts';
import type { Person } from '../../domain/person.ts';
import { createWorld, operator, type World } from '../operations.fixture.ts';
import { createProject } from '../projects/create-project.ts';
import { addMember } from './add-member.ts';
import { changePerson } from './change-person.ts';
import { createPerson } from './create-person.ts';
import { openSession, sha256OfSecret } from './open-session.ts';
import { removeMember } from './remove-member.ts';
import { resetPassword } from './reset-password.ts';
import { setMemberRole } from './set-member-role.ts';

const origin = { address: '192.0.2.1', userAgent: 'test', requestId: 'req_1' };
let world: World & { consoleUrl: string };
let projectId: string;
let otherProjectId: string;
let admin: { person: Person; origin: typeof origin };
let otherAdmin: typeof admin;
let runner: typeof admin;

async function createAdmin(project: string, isOperator = false) {
  const email = `${newId('req', new Date())}@example.com`;
  const { person } = await createPerson(world, operator, { email, isOperator });
  await world.db.projectMembers.set(project, person.id, 'admin', world.clock.now());
  return { person, origin };
}

beforeAll(async () => {
  world = { ...(await createWorld(1)), consoleUrl: 'https://console.example.com' };
  projectId = (await createProject(world, operator, 'one')).id;
  otherProjectId = (await createProject(world, operator, 'other')).id;
  admin = await createAdmin(projectId);
  otherAdmin = await createAdmin(otherProjectId);
  runner = await createAdmin(projectId, true);
});
afterAll(() => world?.close());

const hashOf = (url: string) => sha256OfSecret(url.split('#token=')[1] ?? '');
const eventsOf = async (objectId: string, action: AuditAction) => {
  const page = { filter: { action }, after: null, limit: 1000, order: 'desc' } as const;
  return (await world.db.auditLog.pageOfAll(null, page)).filter((event) => event.objectId === objectId);
};

describe('the members of a project', () => {
  it('are invited by their address, with a link that sets a password once', async () => {
    const wanted = { email: 'New@example.com', name: 'New', role: 'viewer' } as const;
    const { member, setupUrl } = await addMember(world, admin, projectId, wanted);
    expect(member).toMatchObject({ email: 'New@example.com', name: 'New', role: 'viewer', isFromGroups: false });
    expect(setupUrl).toMatch(/^https:\/\/console\.example\.com\/set-password#token=[\w-]{43}$/);
    expect(await eventsOf(member.personId, 'member.changed')).toMatchObject([
      { projectId, personId: admin.person.id, detail: { role: 'viewer' } },
    ]);
    const { signInTokens } = world.db;
    expect(await signInTokens.takeOfPerson(hashOf(setupUrl ?? ''), world.clock.now())).toBe(member.personId);
    expect(await signInTokens.takeOfPerson(hashOf(setupUrl ?? ''), world.clock.now())).toBeNull();
  });

  it('who are known already get no link, so that an admin cannot set the password of somebody else', async () => {
    const { person } = await createPerson(world, operator, { email: 'known@example.com', isOperator: false });
    const added = await addMember(world, admin, projectId, { email: 'KNOWN@example.com', role: 'developer' });
    expect(added).toMatchObject({ setupUrl: null, member: { personId: person.id, role: 'developer' } });
  });

  it('whom only the admin of one project has invited get no power elsewhere, because that admin may be them', async () => {
    const wanted = { email: 'victim@example.com', role: 'developer' } as const;
    const { member } = await addMember(world, admin, projectId, wanted);
    for (const other of [otherAdmin, runner])
      await expect(addMember(world, other, otherProjectId, wanted)).rejects.toMatchObject({ param: 'email' });
    expect(await world.db.projectMembers.find(otherProjectId, member.personId)).toBeNull();
    const promotion = changePerson(world, operator, member.personId, { isOperator: true });
    await expect(promotion).rejects.toMatchObject({ param: 'is_operator' });
    expect(await setMemberRole(world, admin, { projectId, personId: member.personId, role: 'admin' })).toMatchObject({
      role: 'admin',
    });
  });

  it('can be added by any admin once an operator has given them a link, which ends what the inviter may have set', async () => {
    const wanted = { email: 'vouched@example.com', role: 'developer' } as const;
    const { member, setupUrl } = await addMember(world, admin, projectId, wanted);
    await world.db.people.setPassword(member.personId, '$argon2id$of the inviter');
    const person = (await world.db.people.find(member.personId)) as Person; // just made
    const now = world.clock.now();
    const { secret } = await openSession(world.db, { person, method: 'password', origin, sessionHours: 1, now });
    const newUrl = await resetPassword(world, operator, member.personId);
    expect(await world.db.people.findPasswordHash(member.personId)).toBeNull();
    expect(await world.db.consoleSessions.findByHash(sha256OfSecret(secret), now)).toBeNull();
    await addMember(world, otherAdmin, otherProjectId, wanted);
    const { signInTokens } = world.db;
    expect(await signInTokens.takeOfPerson(hashOf(setupUrl ?? ''), world.clock.now())).toBeNull();
    expect(await signInTokens.takeOfPerson(hashOf(newUrl), world.clock.now())).toBe(member.personId);
  });

  it('change their role and leave; somebody who is not a member is like nobody', async () => {
    const { member } = await addMember(world, admin, projectId, { email: 'leaving@example.com', role: 'viewer' });
    const which = { projectId, personId: member.personId };
    expect(await setMemberRole(world, admin, { ...which, role: 'admin' })).toMatchObject({ role: 'admin' });
    await removeMember(world, admin, which);
    expect(await eventsOf(member.personId, 'member.removed')).toMatchObject([{ projectId }]);
    for (const personId of [member.personId, otherAdmin.person.id, newId('person', new Date()), 'nonsense']) {
      const nobody = { projectId, personId };
      await expect(removeMember(world, admin, nobody)).rejects.toMatchObject({ code: 'not_found' });
      const change = setMemberRole(world, admin, { ...nobody, role: 'admin' });
      await expect(change).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('are at most 1,000, and removing them does not let an admin invite without end', async () => {
    const { id } = await createProject(world, operator, 'crowd');
    const crowded = await createAdmin(id);
    const invite = (email: string) => addMember(world, crowded, id, { email, role: 'viewer' });
    await sql`with invited as (
        insert into people (id, email, name, created_at, invited_by_project_id)
        select gen_random_uuid(), number || '@crowd.example', '', now(), ${uuidFromId('proj', id)}
        from generate_series(1, 999) as number returning id)
      insert into project_members (project_id, person_id, role, created_at)
      select ${uuidFromId('proj', id)}, id, 'viewer', now() from invited`.execute(world.db.kysely);
    await expect(invite('one-more@crowd.example')).rejects.toMatchObject({ code: 'too_many_members', status: 409 });
    const [anybody] = (await world.db.projectMembers.ofProject(id)).filter(({ role }) => role === 'viewer');
    const remove = (personId = '') => removeMember(world, crowded, { projectId: id, personId });
    await remove(anybody?.personId);
    const { member } = await invite('one-more@crowd.example');
    await remove(member.personId);
    await expect(invite('another@crowd.example')).rejects.toMatchObject({ code: 'too_many_members' });
  });

  it('cannot be added to a project that does not exist', async () => {
    const wanted = { email: 'nowhere@example.com', role: 'viewer' } as const;
    for (const nowhere of [newProjectId(new Date()), 'nonsense'])
      await expect(addMember(world, runner, nowhere, wanted)).rejects.toMatchObject({ code: 'not_found' });
    expect(await world.db.people.findByEmail(wanted.email)).toBeNull();
  });
});

describe('a person', () => {
  it('who is disabled is signed out everywhere at once, and can be enabled again', async () => {
    const { person, setupUrl } = await createPerson(world, operator, { email: 'off@example.com', isOperator: true });
    const now = world.clock.now();
    const opened = { person, method: 'password', origin, sessionHours: 1, now } as const;
    const { secret } = await openSession(world.db, opened);
    const find = () => world.db.consoleSessions.findByHash(sha256OfSecret(secret), now);
    expect(await find()).not.toBeNull();
    await changePerson(world, operator, person.id, { isDisabled: true });
    expect(await find()).toBeNull();
    const late = world.db.transaction((tables) => openSession(tables, opened));
    await expect(late).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await world.db.signInTokens.takeOfPerson(hashOf(setupUrl), now)).toBeNull();
    expect(await eventsOf(person.id, 'person.disabled')).toHaveLength(1);
    await expect(resetPassword(world, operator, person.id)).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect(await changePerson(world, operator, person.id, { isDisabled: false })).toMatchObject({ disabledAt: null });
    expect(await find()).toBeNull();
  });

  it('who is an operator can neither disable themselves nor stop being one', async () => {
    const actor = { operator: runner.person.email, command: 'console', person: runner.person, origin };
    for (const change of [{ isDisabled: true }, { isOperator: false }])
      await expect(changePerson(world, actor, runner.person.id, change)).rejects.toMatchObject({
        code: 'invalid_parameter',
      });
    expect(await changePerson(world, actor, runner.person.id, { name: 'Renamed' })).toMatchObject({
      name: 'Renamed',
      isOperator: true,
    });
  });

  it('has an address of their own', async () => {
    const again = createPerson(world, operator, { email: runner.person.email.toUpperCase(), isOperator: false });
    await expect(again).rejects.toMatchObject({ param: 'email' });
  });
});
