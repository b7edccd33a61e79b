import { connect } from 'node:http2';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { startTcpProxy, type TcpProxy } from '@kinora/stack/harness/tcp-proxy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../domain/clock.ts';
import { useWorldPerTest } from '../operations/operations.fixture.ts';
import { useTemporal } from '../operations/queue/temporal.fixture.ts';
import { every } from './every.ts';
import { relayOutbox } from './outbox-relay.ts';

const temporal = useTemporal();
let proxy: TcpProxy;
const world = useWorldPerTest();
beforeEach(async () => {
  proxy = await startTcpProxy({ port: Number(temporal.address.split(':')[1]) });
});
afterEach(() => proxy?.close());

const tries = async () =>
  (await world.db.kysely.selectFrom('outbox').select('tries').execute()).map((row) => row.tries);

describe('an outage of Temporal', () => {
  it.each(['refuse', 'black-hole'] as const)('work starts after an outage (%s)', async (mode) => {
    const workflows = temporal.workflowsFor(world.db, world.log, `127.0.0.1:${proxy.port}`);
    await workflows.check();
    await proxy.set(mode);
    await world.accept(await world.newProject());
    const relay = every(
      systemClock,
      0.5,
      async () => {
        await world.moveClock(0.5);
        await relayOutbox({ ...world, workflows });
      },
      () => undefined,
    );
    try {
      await expect.poll(tries).toEqual([3]);
      await proxy.vanish(); // the connections of the outage never work again, new ones do
      await expect.poll(tries).toEqual([]);
    } finally {
      await relay.close();
    }
  });

  it('Temporal closes the connection of a client that vanished before a poll would end, so that its polls are given no tasks', async () => {
    const session = connect(`http://127.0.0.1:${proxy.port}`);
    const isConnected = new Promise((resolve) => session.once('remoteSettings', resolve));
    await isConnected;
    // A poll that finds nothing ends after 60 s. With Temporal's own defaults the connection would be closed after 70 s.
    let isPollOver = false;
    const { client, namespace } = temporal;
    void client.connection
      .withDeadline(Date.now() + hangLimitMilliseconds, () =>
        client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: 'without-work' } }),
      )
      .catch(() => undefined)
      .finally(() => (isPollOver = true));
    await proxy.vanish();
    await proxy.vanishedAreClosed();
    expect(isPollOver).toBe(false);
    session.destroy();
  });
});
