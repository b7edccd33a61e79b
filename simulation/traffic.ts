import type { Random } from '@kinora/stack/harness/seeded-random';
import { createClient, type SimulatedClient } from './client.ts';
import type { World } from './world.ts';

/** How many tasks of each project may wait. */
const waitingLimit = 8;
const finals = ['completed', 'failed', 'cancelled'] as const;
/** What becomes of a job. Most succeed within seconds: endpoints whose jobs fail in a row get none for minutes. */
const prompts = [
  ...Array.from({ length: 35 }, () => 'takes 1 s'),
  'takes 5 s',
  'takes 5 s',
  'takes 20 s',
  'fails once',
  'fails',
  'stalls',
  'loses its output',
  'is refused',
];

/** Sends this many creates from several projects, and some of what callers do next. Resolves when all were sent. */
export async function sendTraffic(world: World, random: Random, tasks: number, milliseconds: number): Promise<void> {
  const clients: SimulatedClient[] = [];
  for (const runningLimit of [1, 2, 6]) clients.push(await createClient(world, { runningLimit, waitingLimit }));
  await clients[0]?.addWebhook();
  const clock = world.scheduler.clockOf(world.visitor);
  const callers: Promise<void>[] = [];
  for (let sent = 0; sent < tasks; sent += 1) {
    await clock.wait(random.below((2 * milliseconds) / tasks));
    const choices = {
      client: random.pick(clients),
      model: random.pick(world.pools),
      prompt: random.pick(prompts),
      hasImage: random.below(8) === 0,
      hasCallback: random.below(3) === 0,
      key: random.below(3) === 0 ? `key ${random.below(tasks)}` : null,
      next: random.pick(['wait', 'wait', 'wait', 'wait', 'cancel', 'delete'] as const),
      afterMilliseconds: random.below(30_000),
    };
    callers.push(live(choices));
  }
  await Promise.all(callers);

  async function live({ client, model, prompt, hasImage, hasCallback, key, next, afterMilliseconds }: Choices) {
    const created = await client.create({
      request: {
        model,
        prompt,
        ...(hasImage && { imageUrl: 'data:image/png;base64,AAAA' }),
        ...(hasCallback && { callbackUrl: 'https://receiver.example/callback' }),
      },
      ...(key !== null && { key }),
    });
    if (created === null || next === 'wait') return;
    if (next === 'delete') await client.until(created.taskId, finals);
    await clock.wait(afterMilliseconds);
    await (next === 'delete' ? client.delete(created.taskId) : client.cancel(created.taskId));
  }
}

interface Choices {
  client: SimulatedClient;
  model: string;
  prompt: string;
  hasImage: boolean;
  hasCallback: boolean;
  key: string | null;
  next: 'wait' | 'cancel' | 'delete';
  afterMilliseconds: number;
}
