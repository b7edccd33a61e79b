import type { SimulatedClient } from './client.ts';
import type { World } from './world.ts';

/** The life of one task, or of few, as a caller and the world around it bring it about. */
export interface Life {
  name: string;
  /** How its tasks may end, beside completed. Whatever dies, a caller is owed a video. */
  mayEnd?: 'cancelled';
  run(client: SimulatedClient, world: World): Promise<void>;
}

const finals = ['completed', 'failed', 'cancelled'] as const;

export const lives: readonly Life[] = [
  { name: 'plain', run: async (client) => void (await client.create()) },
  {
    name: 'with image',
    run: async (client) => void (await client.create({ request: { imageUrl: 'data:image/png;base64,AAAA' } })),
  },
  {
    name: 'idempotent',
    async run(client) {
      const first = await client.create({ key: 'k' });
      const second = await client.create({ key: 'k' });
      if (first?.taskId !== second?.taskId) throw new Error('one key made two tasks');
    },
  },
  { name: 'retried', run: async (client) => void (await client.create({ request: { prompt: 'fails once' } })) },
  {
    name: 'cancelled while queued',
    mayEnd: 'cancelled',
    async run(client, world) {
      setUp(world, false);
      const created = await client.create();
      if (created) await client.cancel(created.taskId);
      setUp(world, true);
    },
  },
  {
    name: 'cancelled while rendering',
    mayEnd: 'cancelled',
    async run(client) {
      const created = await client.create();
      if (!created) return;
      await client.until(created.taskId, ['in_progress', ...finals]);
      await client.cancel(created.taskId);
    },
  },
  {
    name: 'given back by an unserved pool',
    async run(client, world) {
      setUp(world, false);
      await client.create();
      await world.scheduler.clockOf(world.visitor).wait(75_000);
      setUp(world, true);
    },
  },
  {
    name: 'taken over',
    async run(client, world) {
      const created = await client.create();
      if (!created) return;
      await client.until(created.taskId, ['in_progress', ...finals]);
      const worker = world.processes.get('worker 0');
      if (!worker) return;
      worker.isFrozen = true;
      await world.scheduler.clockOf(world.visitor).wait(20_000);
      worker.isFrozen = false;
    },
  },
  {
    name: 'webhook that fails and succeeds',
    async run(client, world) {
      await client.addWebhook();
      world.receiverStatus = 500;
      const created = await client.create();
      if (created) await client.until(created.taskId, finals);
      world.receiverStatus = 200;
    },
  },
  {
    name: 'deleted',
    async run(client) {
      const created = await client.create();
      if (!created) return;
      await client.until(created.taskId, finals);
      await client.delete(created.taskId);
    },
  },
];

function setUp(world: World, isUp: boolean): void {
  for (const { engine } of world.engines.values()) engine.isUp = isUp;
}
