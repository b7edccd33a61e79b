import type { Clock } from '../domain/clock.ts';
import { createLive } from '../live/live.ts';
import type { Images } from '../media/images.ts';
import type { World } from '../operations/operations.fixture.ts';
import type { TestStorage } from '../storage/storage.fixture.ts';
import { createEngineUses } from './engine-uses.ts';
import { createTaskWatch } from './task-watch.ts';

/** Returns what a worker that renders needs, apart from its endpoints. `stopParts` ends what it started. */
export function renderParts(world: World, { storage }: TestStorage, clock: Clock = world.clock) {
  const watch = createTaskWatch(world);
  const live = createLive({ ...world, clock });
  return {
    ...world,
    clock,
    storage,
    images: {} as Images, // for tasks without images
    watch,
    live,
    engineUses: createEngineUses(),
    speeds: { find: () => null },
    attemptLimitSeconds: 600,
    stallSeconds: 60,
    finishHere: null,
    stopParts: async (): Promise<void> => {
      watch.close();
      await live.close();
    },
  };
}
