import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { beginOrThrow, operator, useWorld, videoOf } from '../operations.fixture.ts';
import { setProject } from '../projects/set-project.ts';
import { completeTask } from './complete-task.ts';
import { deleteTask } from './delete-task.ts';
import { readFile } from './read-file.ts';
import { readSignedTask } from './read-signed-task.ts';

const world = useWorld(4);
const store = useTestStorage();

it('a signed URL opens neither a task nor its files while the project is suspended, nor after the task is deleted', async () => {
  const dependencies = { ...world, storage: store.storage };
  const project = await world.newProject();
  const task = await world.accept(project);
  await beginOrThrow(world, task);
  await completeTask(dependencies, task.id, 1, videoOf(task.id));
  await store.storage.put(videoOf(task.id).objectKey, Buffer.from('the video'), 'video/mp4');
  const readTheVideo = async () => text(await (await readFile(dependencies, task.id, 'video', null)).open());
  const bySignature = () => Promise.allSettled([readSignedTask(world, task.id), readTheVideo()]);
  const opened = [{ value: { task: { id: task.id, status: 'completed' } } }, { value: 'the video' }];

  expect(await bySignature()).toMatchObject(opened);
  await setProject(world, operator, project.id, { isSuspended: true });
  expect(await world.db.projects.suspended([project.id])).toEqual(new Set([project.id]));
  for (const refused of await bySignature()) expect(refused).toMatchObject({ reason: { code: 'project_suspended' } });
  await setProject(world, operator, project.id, { isSuspended: false });
  expect(await world.db.projects.suspended([project.id])).toEqual(new Set());
  expect(await bySignature()).toMatchObject(opened);
  await deleteTask(dependencies, task, task.id);
  for (const refused of await bySignature()) expect(refused).toMatchObject({ reason: { code: 'task_deleted' } });
});
