import { expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { newId, newProjectId } from '../../domain/id.ts';
import { taskFolder } from '../../domain/object-key.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { newWebhookSecret } from '../../webhooks/sign.ts';
import { createApiKey } from '../keys/create-api-key.ts';
import { callerOf, useWorld } from '../operations.fixture.ts';
import { createPerson } from '../people/create-person.ts';
import { findOwnTask } from '../tasks/read-task.ts';
import { createWebhookEndpoint } from '../webhooks/create-webhook-endpoint.ts';
import { purgeProject } from './purge-project.ts';

const world = useWorld();
const store = useTestStorage();

const operator = { operator: 'ada', command: 'projects purge' };
const purge = (project: Project) => purgeProject({ ...world, storage: store.storage }, operator, project.id);

/** Makes a project that has a member, and two tasks, an uploaded file, a webhook endpoint and a key in each mode. */
async function newTenant() {
  const project = await world.newProject();
  const secretTools = { box: createSecretBox(['a-key-of-this-test-with-32-letters']), newSecret: newWebhookSecret };
  const tasks = [];
  const files = [];
  for (const livemode of [true, false]) {
    const owner = { projectId: project.id, livemode };
    const waiting = await world.accept(project, { livemode, request: { prompt: 'a secret' } });
    const running = await world.accept(project, { livemode, request: { prompt: 'a secret' } });
    await world.begin(running);
    tasks.push(waiting, running);
    for (const { id } of [waiting, running]) {
      await store.storage.put(`${taskFolder(id)}/video.mp4`, Buffer.from('bytes'), 'video/mp4');
    }
    const { id: keyId } = await createApiKey(world, operator, { ...owner, name: 'a key' });
    const endpoint = { url: 'https://hooks.example/', description: '', events: [] };
    await createWebhookEndpoint({ ...world, ...secretTools }, { ...owner, keyId }, endpoint);
    const now = world.clock.now();
    const id = strayId('file', now);
    const file = {
      id,
      ...owner,
      keyId,
      objectKey: `uploads/${id}.png`,
      name: 'a.png',
      contentType: 'image/png',
      sizeBytes: 5,
      sha256: 'abc',
      width: 300,
      height: 300,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 60_000),
    };
    await world.db.files.insert(file);
    await store.storage.put(file.objectKey, Buffer.from('bytes'), 'image/png');
    files.push(file);
  }
  const email = `${newId('req', new Date())}@example.com`;
  const { person } = await createPerson({ ...world, consoleUrl: 'https://console.example' }, operator, {
    email,
    isOperator: false,
  });
  await world.db.projectMembers.set(project.id, person.id, 'admin', world.clock.now());
  return { project, tasks, files };
}

it('a purge suspends a project and erases its tasks, files, webhooks, keys and members, and nothing of another project', async () => {
  const [{ project, tasks, files }, other] = [await newTenant(), await newTenant()];
  expect(await purge(project)).toEqual({ keys: 2, members: 1, webhookEndpoints: 2, tasks: 4, files: 2 });

  expect(await world.db.projects.find(project.id)).toMatchObject({ isSuspended: true });
  expect(await world.db.openTasks.activeOf(project.id, 10)).toEqual([]);
  for (const task of tasks) {
    await expect(findOwnTask(world, callerOf(project, task.livemode), task.id)).rejects.toMatchObject({
      code: 'task_deleted',
    });
    expect(await world.db.tasks.find(task.id)).toMatchObject({ prompt: '', status: 'cancelled' });
    expect(await store.keys(`${taskFolder(task.id)}/`)).toEqual([]);
  }
  for (const { id, livemode, objectKey } of files) {
    const owner = { projectId: project.id, livemode };
    expect(await world.db.files.find(owner, id, new Date(0))).toBeNull();
    expect(await store.keys(objectKey)).toEqual([]);
    expect(await world.db.webhookEndpoints.page(owner, { after: null, limit: 10, order: 'asc' })).toEqual([]);
    const [key] = await world.db.apiKeys.page(owner, { after: null, limit: 10, order: 'asc' });
    expect(key).toMatchObject({ revokedAt: world.clock.now() });
  }
  expect(await world.db.projectMembers.ofProject(project.id)).toEqual([]);
  await world.expectCountersToBeRight();

  for (const task of other.tasks) expect(await world.db.tasks.find(task.id)).toMatchObject({ prompt: 'a secret' });
  expect(await world.db.projects.find(other.project.id)).toMatchObject({ isSuspended: false });
  expect(await world.db.projectMembers.ofProject(other.project.id)).toHaveLength(1);
  expect(await store.keys(other.files[0]?.objectKey ?? '')).toHaveLength(1);
});

it('a purge that is repeated, also at the same moment, takes effect once', async () => {
  const { project } = await newTenant();
  await Promise.all([purge(project), purge(project)]);
  expect(await purge(project)).toEqual({ keys: 0, members: 0, webhookEndpoints: 0, tasks: 0, files: 0 });
  expect(await purgeProject({ ...world, storage: store.storage }, operator, newProjectId(new Date()))).toBeNull();
});
