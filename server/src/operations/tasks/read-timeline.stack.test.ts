import { expect, it } from 'vitest';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { freeSlot } from '../attempts/free-slot.ts';
import { retryTask } from '../attempts/retry-task.ts';
import { takeOverAttempt } from '../attempts/take-over-attempt.ts';
import { beginOrThrow, useWorld, videoOf } from '../operations.fixture.ts';
import { completeTask } from './complete-task.ts';
import { readTimeline } from './read-timeline.ts';

const world = useWorld();
const store = useTestStorage();

it('the timeline of a task that was tried twice and taken over shows both attempts, to the millisecond', async () => {
  const project = await world.newProject();
  const accepted = await world.accept(project);
  const owner = { projectId: project.id, livemode: true };
  await world.moveClock(1.25);
  const first = await beginOrThrow(world, accepted, { endpointId: 'gpu-1', slot: 0 });
  await world.moveClock(4);
  await retryTask(world, first.attempt, { outcome: 'engine_crashed', stage: 'rendering', isJobOver: true });
  await world.moveClock(0.5);
  const queued = await world.db.tasks.find(accepted.id);
  if (!queued) throw new Error('the task was not found');
  await beginOrThrow(world, queued, { endpointId: 'gpu-2', slot: 0 });
  await world.moveClock(2);
  const taken = await takeOverAttempt(world, accepted.id);
  if (taken.kind !== 'taken') throw new Error(`the attempt was not taken over: ${taken.kind}`);
  await world.moveClock(1);
  const halfway = await readTimeline(world, owner, accepted.id);
  expect(halfway.stages.at(-1)).toMatchObject({ stage: 'rendering', attempt: 2, endedAt: null, seconds: 3 });
  expect(halfway.attempts.at(-1)).toMatchObject({ endedAt: null, engineSeconds: null, outcome: null });
  await freeSlot(world, taken.attempt);
  await world.moveClock(0.75);
  await completeTask({ ...world, storage: store.storage }, accepted.id, 2, videoOf(accepted.id));
  await world.moveClock(100);

  const { task, seconds, stages, attempts } = await readTimeline(world, owner, accepted.id);
  expect(seconds).toBe(9.5);
  expect(stages.map(({ stage, attempt, seconds: each }) => [stage, attempt, each])).toEqual([
    ['waiting', 1, 1.25],
    ['rendering', 1, 4],
    ['waiting', 2, 0.5],
    ['rendering', 2, 3],
    ['finishing', 2, 0.75],
  ]);
  expect(attempts).toMatchObject([
    { attempt: 1, endpoint: 'gpu-1', engineSeconds: 4, takeovers: 0, outcome: 'engine_crashed' },
    { attempt: 2, endpoint: 'gpu-2', engineSeconds: 3, takeovers: 1, outcome: 'completed' },
  ]);
  // The engine time of the task is the sum over its attempts.
  expect(task.engineSeconds).toBe(7);
});
