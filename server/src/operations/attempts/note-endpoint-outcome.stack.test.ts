import { describe, expect, it } from 'vitest';
import { newPlace, useWorld } from '../operations.fixture.ts';
import { noteEndpointOutcome } from './note-endpoint-outcome.ts';

const world = useWorld();

const status = {
  pool: 'scripted',
  slots: 1,
  isAccepting: true,
  reason: null,
  engine: null,
  version: null,
  models: null,
  latencyMilliseconds: 1,
};

/** Creates an endpoint that has been probed, and jobs on it that take a second each. */
async function newEndpoint() {
  const { endpointId } = newPlace();
  await world.db.endpointStates.recordStatus(endpointId, status, world.clock.now());
  const begin = async () => {
    await world.moveClock(1);
    const attempt = { endpointId, beganAt: world.clock.now() };
    await world.moveClock(1);
    return (outcome: Parameters<typeof noteEndpointOutcome>[2]) => noteEndpointOutcome(world, attempt, outcome);
  };
  const state = async () => {
    const found = await world.db.endpointStates.find(endpointId);
    const trippedUntil = found?.trippedUntil ?? null;
    const trippedSeconds = trippedUntil && (trippedUntil.getTime() - world.clock.now().getTime()) / 1000;
    return { failures: found?.consecutiveFailures, last: found?.lastFailure, trippedSeconds };
  };
  return { endpointId, begin, state };
}

describe('the failure count of an endpoint', () => {
  it('failures add up until a job succeeds', async () => {
    const { begin, state } = await newEndpoint();
    expect(await (await begin())('engine_crashed')).toBe(true);
    expect(await state()).toEqual({ failures: 1, last: 'engine_crashed', trippedSeconds: null });
    await (await begin())('generation_stalled');
    expect(await state()).toEqual({ failures: 2, last: 'generation_stalled', trippedSeconds: 30 });
    expect(await (await begin())('succeeded')).toBe(true);
    expect(await state()).toMatchObject({ failures: 0, trippedSeconds: null });
    expect(await (await begin())('succeeded')).toBe(false);
  });

  it('jobs that ran side by side count as one failure, because one crash ends them all', async () => {
    const { begin, state } = await newEndpoint();
    const ends = [await begin(), await begin(), await begin()];
    for (const end of ends) await end('engine_lost');
    expect(await state()).toMatchObject({ failures: 1, trippedSeconds: null });
  });

  it('a failure counts once if several processes report it at the same time', async () => {
    const { begin, state } = await newEndpoint();
    await (await begin())('engine_crashed');
    const end = await begin();
    await Promise.all(Array.from({ length: 8 }, () => end('engine_crashed')));
    expect(await state()).toMatchObject({ failures: 2, trippedSeconds: 30 });
  });

  it('the success of a job that began before the failure does not reset the count', async () => {
    const { begin, state } = await newEndpoint();
    const before = await begin();
    await (await begin())('engine_crashed');
    await before('succeeded');
    expect(await state()).toMatchObject({ failures: 1 });
  });

  it('the count is reset when an operator puts the endpoint back', async () => {
    const { endpointId, begin, state } = await newEndpoint();
    await (await begin())('engine_crashed');
    await (await begin())('engine_crashed');
    await world.db.endpointStates.setDrained(endpointId, 'scripted', null);
    expect(await state()).toMatchObject({ failures: 0, trippedSeconds: null });
  });

  it('a failure of an endpoint that was never probed is ignored without an error', async () => {
    const attempt = { ...newPlace(), beganAt: world.clock.now() };
    expect(await noteEndpointOutcome(world, attempt, 'engine_crashed')).toBe(false);
  });
});
