import { describe, expect, test } from 'vitest';
import { countSlots, describeSlot } from './describe-slot.ts';
import { busySlot, endpointWith, idleSlot } from './engines.fixture.ts';

const now = 1_000;

describe('a slot on the board', () => {
  test('shows its job even if the endpoint gets no more', () => {
    const endpoint = endpointWith({ state: 'tripped', slots: [busySlot(0, 900), idleSlot(1, 900)] });
    const [busy, idle] = endpoint.slots.map((slot) => describeSlot(endpoint, slot, now));
    expect(busy).toMatchObject({ look: 'busy', word: 'Busy', seconds: 100 });
    expect(idle).toMatchObject({ look: 'broken', word: 'Tripped' });
  });

  test('counts down until a tripped endpoint is tried again', () => {
    const endpoint = endpointWith({ state: 'tripped', tripped_until: 1_042 });
    expect(describeSlot(endpoint, idleSlot(0), now)).toMatchObject({ seconds: 42, isUntil: true });
    expect(describeSlot({ ...endpoint, tripped_until: 990 }, idleSlot(0), now)).toMatchObject({ seconds: 0 });
  });

  test('has the age of the state of the endpoint, not of the slot, while the endpoint is out of service', () => {
    const endpoint = endpointWith({ state: 'drained', since: 400 });
    expect(describeSlot(endpoint, idleSlot(0, 900), now)).toMatchObject({ look: 'draining', seconds: 600 });
  });

  test('is never younger than nothing, although clocks differ', () => {
    expect(describeSlot(endpointWith({}), busySlot(0, now + 3), now).seconds).toBe(0);
  });
});

test('an endpoint that nobody has probed counts as one unknown slot', () => {
  const endpoints = [
    endpointWith({ state: 'unprobed', slots: [] }),
    endpointWith({ slots: [idleSlot(0), busySlot(1)] }),
  ];
  const pool = { name: 'wan', models: [], waiting: 0, oldest_waiting_at: null, endpoints };
  expect(countSlots({ generated_at: now, pools: [pool] })).toMatchObject({ busy: 1, idle: 1, unwatched: 1, broken: 0 });
});
