import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../operations/keys/create-api-key.ts';
import { operator, useWorld } from '../../operations/operations.fixture.ts';
import { createPerson } from '../../operations/people/create-person.ts';
import { ensurePersonKey } from '../../operations/people/ensure-person-key.ts';
import { createProject } from '../../operations/projects/create-project.ts';
import { setProject } from '../../operations/projects/set-project.ts';

const world = useWorld(1);

describe('a project as operators see it', () => {
  it('has its limits, what it uses in each mode, and how many members', async () => {
    const { id } = await createProject(world, operator, 'first name');
    await setProject(world, operator, id, { name: 'second name', weight: 2, isSuspended: true });
    await world.db.kysely
      .updateTable('project_slots')
      .set({ running: 3, waiting: 4, stored_bytes: 5 })
      .where('livemode', '=', true)
      .where('project_id', '=', (eb) => eb.selectFrom('projects').select('id').where('name', '=', 'second name'))
      .execute();
    const consoleUrl = 'https://console.example.com';
    const wanted = { email: 'member@example.com', isOperator: false };
    const { person } = await createPerson({ ...world, consoleUrl }, operator, wanted);
    await world.db.projectMembers.set(id, person.id, 'viewer', world.clock.now());
    expect(await world.db.projectOverviews.list(id)).toMatchObject([
      {
        id,
        name: 'second name',
        weight: 2,
        suspendedAt: expect.any(Date),
        running: { live: 3, test: 0 },
        waiting: { live: 4, test: 0 },
        storedBytes: 5,
        members: 1,
      },
    ]);
    expect((await world.db.projectOverviews.list()).map((project) => project.id)).toContain(id);
  });

  it('names its callers, keys and people, by their present names', async () => {
    const { id: projectId } = await createProject(world, operator, 'callers');
    const { id: keyId } = await createApiKey(world, operator, { projectId, livemode: true, name: 'backend' });
    const consoleUrl = 'https://console.example.com';
    const wanted = { email: 'caller@example.com', name: 'Before', isOperator: false };
    const { person } = await createPerson({ ...world, consoleUrl }, operator, wanted);
    const personKeyId = await ensurePersonKey(world.db, {
      person,
      owner: { projectId, livemode: false },
      now: world.clock.now(),
    });
    await world.db.people.set(person.id, { name: 'After' });
    const callers = await world.db.projectOverviews.callersOf(projectId, 500);
    expect(callers.toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject([
      { keyId: personKeyId, name: 'After', isPerson: true, livemode: false, lastFour: '' },
      { keyId, name: 'backend', isPerson: false, livemode: true },
    ]);
  });
});
