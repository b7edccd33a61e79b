import { randomFor } from '@kinora/stack/harness/seeded-random';
import { pause, type World } from './crash-world.ts';
import { pollTasks } from './reader.ts';
import { runClient } from './run-client.ts';

/** Arrivals pause above this, because on a slow machine the run would otherwise measure only its own backlog. */
const mostActive = 24;

/**
 * Starts clients at random intervals, independently of earlier ones, until all tasks are posted and `hasEnded` says
 * that the kills are over. Resolves once every client has its response.
 */
export async function runLoad(world: World, hasEnded: () => boolean): Promise<void> {
  const { size, taskCounts } = world;
  const random = randomFor('crash/load');
  const clients: Promise<void>[] = [];
  const isOver = (): boolean => clients.length >= size.tasks && hasEnded();
  const reading = pollTasks(world, isOver);
  reading.catch(() => undefined); // awaited below
  while (!isOver()) {
    if (taskCounts.active <= mostActive) clients.push(runClient(world, clients.length));
    clients.at(-1)?.catch(() => undefined); // awaited below
    // Tasks beyond the plan come faster: workers reach failpoints sooner and have more to be taken over when they die.
    const pace = hasEnded() ? 0.2 : clients.length >= size.tasks ? 0.5 : 1;
    const meanSeconds = (size.seconds / size.tasks) * pace;
    await pause(world, Math.min(5 * meanSeconds, -Math.log(1 - random.between(0, 1)) * meanSeconds));
  }
  await Promise.all([...clients, reading]);
}
