import { type Case, type Column, publicZone, type World } from './address-case.ts';
import type { Door } from './internet.ts';

/** Cases of connections that fail before HTTP begins. */
export function doorCases(column: Column, { internet, names, nextNumber }: World): Case[] {
  const behind = (what: string, scheme: 'http' | 'https', door: Door): Case => {
    const number = nextNumber();
    const name = `k${number}.${publicZone}`;
    const address = `93.184.${200 + Math.floor(number / 250)}.${number % 250}`;
    internet.setDoor(address, door);
    names.define(name, () => ({ addresses: [address] }));
    return {
      column,
      position: 'dynamic',
      what,
      url: `${scheme}://${name}/`,
      allowed: ['unreachable'],
      wasCarriedOut: () => internet.knocked(address) > 0,
      isSlow: door === 'silent',
    };
  };
  return [
    behind('a connection that says nothing', 'http', 'silent'),
    behind('a handshake that never ends', 'https', 'silent'),
    behind('a connection that is reset', 'http', 'reset'),
    behind('a handshake that is reset', 'https', 'reset'),
    behind("another name's certificate", 'https', 'other-name'),
    behind('a certificate of an untrusted authority', 'https', 'untrusted'),
  ];
}
