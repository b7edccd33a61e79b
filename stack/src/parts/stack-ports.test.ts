import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePorts, takenPorts } from './free-port.ts';
import { chooseBasePort } from './stack-ports.ts';

test.for(['dev', 'other'])('the stack %s keeps its ports unless another program uses one of them', async (name) => {
  const remembered = await findFreePorts(10);
  expect(await chooseBasePort({ name }, remembered)).toBe(remembered);

  const stranger = createServer().listen(remembered + 9, '127.0.0.1');
  await once(stranger, 'listening');
  try {
    expect(await takenPorts(remembered, 10)).toEqual([remembered + 9]);
    expect(await chooseBasePort({ name }, remembered)).not.toBe(remembered);
  } finally {
    stranger.close();
  }
});

test('a requested base port is used or refused, never replaced', async () => {
  expect(await chooseBasePort({ name: 'other', basePort: 16_000 }, 17_000)).toBe(16_000);
  await expect(chooseBasePort({ name: 'dev', basePort: 65_530 }, undefined)).rejects.toThrow('base port');
  await expect(chooseBasePort({ name: 'dev', basePort: Number('abc') }, undefined)).rejects.toThrow('base port');
});
