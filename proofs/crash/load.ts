import { beClient } from './be-client.ts';
import { pause, type World } from './crash-world.ts';
import { readNowAndThen } from './reader.ts';

/** Arrivals pause beyond this: on a machine too slow for the pace the run would only measure its own backlog. */
const mostActive = 24;

/**
 * Lets tasks arrive by themselves, whatever happens to those before them, until all are posted and `hasEnded` says that nobody
 * kills any more. Resolves once every client has its answer.
 */
export async function runLoad(world: World, hasEnded: () => boolean): Promise<void> {
  const { size, standing } = world;
  const clients: Promise<void>[] = [];
  const isOver = (): boolean => clients.length >= size.tasks && hasEnded();
  const reading = readNowAndThen(world, isOver);
  reading.catch(() => undefined); // looked at below
  while (!isOver()) {
    if (standing.active <= mostActive) clients.push(beClient(world, clients.length));
    clients.at(-1)?.catch(() => undefined); // looked at below
    // Past the planned number they only keep coming so that failpoints are reached; after the last kill they need no pace.
    const pace = clients.length >= size.tasks ? 2 : hasEnded() ? 0.2 : 1;
    const meanSeconds = (size.seconds / size.tasks) * pace;
    await pause(world, Math.min(5 * meanSeconds, -Math.log(1 - Math.random()) * meanSeconds));
  }
  await Promise.all([...clients, reading]);
}
