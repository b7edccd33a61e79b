import type { Attack, HostileOrders } from './attack.ts';
import { attacks } from './attacks.ts';
import { type OwnServer, startOwnServer } from './own-server.ts';
import type { AttackName, Deeds } from './siege-evidence.ts';

// The hostile tenant. Its process has a quarter of a core: what it sends, and what it serves to the service, must fit.

type Message = { kind: 'orders'; orders: HostileOrders } | { kind: 'begin'; attacks: AttackName[] } | { kind: 'end' };

let known: { orders: HostileOrders; own: OwnServer } | null = null;
let current: { name: AttackName; attack: Attack }[] = [];

process.on('message', (message: Message) => void obey(message));
process.once('disconnect', () => process.exit(0));

async function obey(message: Message): Promise<void> {
  switch (message.kind) {
    case 'orders':
      known = { orders: message.orders, own: await startOwnServer(message.orders.ownPort) };
      return reply({ kind: 'ready' });
    case 'begin': {
      if (!known) throw new Error('the hostile process has no orders');
      const { orders, own } = known;
      current = message.attacks.map((name) => ({ name, attack: attacks[name](orders, own) }));
      return reply({ kind: 'begun' });
    }
    case 'end': {
      const deeds: Partial<Record<AttackName, Deeds>> = {};
      await Promise.all(current.map(async ({ name, attack }) => void (deeds[name] = await attack.stop())));
      return reply({ kind: 'ended', deeds });
    }
  }
}

function reply(message: object): void {
  process.send?.(message);
}
