import { expect, it } from 'vitest';
import { freeSlot } from '../../operations/attempts/free-slot.ts';
import { beginOrThrow, useWorld, videoOf } from '../../operations/operations.fixture.ts';
import { endTask } from '../../operations/tasks/end-task.ts';

const world = useWorld();

const models = [
  { id: 'animatic', pool: 'animatic' },
  { id: 'wan', pool: 'gpus' },
];

async function complete(request: { model: string; pool: string }, renderSeconds: number, options = {}): Promise<void> {
  const task = await world.accept(await world.newProject(), { request, ...options });
  const { attempt } = await beginOrThrow(world, task);
  await world.moveClock(renderSeconds);
  await freeSlot(world, attempt);
  await world.moveClock(2);
  const ending = { kind: 'complete', video: videoOf(task.id) } as const;
  await world.db.transaction((tables) => endTask(tables, task.id, ending, {}, world.clock.now()));
}

it("a model's speed is measured from at least three tasks of its own pool, and stays if there are no newer tasks", async () => {
  for (const seconds of [10, 20, 30]) await complete({ model: 'wan', pool: 'gpus' }, seconds);
  // In test mode the built-in engine renders, whatever the model.
  for (const seconds of [1, 1, 1]) await complete({ model: 'wan', pool: 'animatic' }, seconds, { livemode: false });
  for (const seconds of [1, 1]) await complete({ model: 'animatic', pool: 'animatic' }, seconds);
  await world.db.modelSpeeds.measure(models, world.clock.now());
  const measured = await world.db.modelSpeeds.list();
  expect(measured).toEqual([
    {
      model: 'wan',
      resolution: '480p',
      durationSeconds: 1,
      samples: 3,
      renderP50Seconds: expect.closeTo(20),
      renderP90Seconds: expect.closeTo(28),
      totalP50Seconds: expect.closeTo(22),
      totalP90Seconds: expect.closeTo(30),
    },
  ]);

  await world.moveClock(25 * 60 * 60);
  await world.db.modelSpeeds.measure(models, world.clock.now());
  expect(await world.db.modelSpeeds.list()).toEqual(measured);
});
