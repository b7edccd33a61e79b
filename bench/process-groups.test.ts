import { expect, test } from 'vitest';
import { backendsOf, childrenOf, type ProcessGroup, program, sharedPostgres, startCpuMeter } from './process-groups.ts';

interface Counted {
  parent: number;
  own: number;
  exitedChildren?: number;
  title?: string;
}

/** Measures the groups between two states of the system, each a process id with its counters in milliseconds. */
function measure(groups: ProcessGroup[], ...states: [Record<number, Counted>, Record<number, Counted>]) {
  const readings = states.map(
    (state) =>
      new Map(
        Object.entries(state).map(([pid, { parent, own, exitedChildren = 0, title = '' }]) => [
          Number(pid),
          { parent, ownMilliseconds: own, exitedChildrenMilliseconds: exitedChildren, title },
        ]),
      ),
  );
  return startCpuMeter(groups, () => readings.shift() ?? new Map())();
}

const worker = 10;
const postmaster = 20;
const backend = (own: number) => ({ parent: postmaster, own, title: 'postgres: kinora kinora 127.0.0.1(5000) idle' });

test('a program is measured without its children', () => {
  expect(
    measure(
      [program('worker', () => worker), childrenOf('children', () => worker)],
      { [worker]: { parent: 1, own: 100, exitedChildren: 1000 }, 11: { parent: worker, own: 50 } },
      { [worker]: { parent: 1, own: 130, exitedChildren: 1500 }, 11: { parent: worker, own: 90 } },
    ),
  ).toEqual({ worker: 30, children: 540 });
});

test('a child that exits adds only the CPU time that it used during the measurement', () => {
  expect(
    measure(
      [childrenOf('children', () => worker)],
      { [worker]: { parent: 1, own: 0 }, 11: { parent: worker, own: 300, exitedChildren: 70 } },
      { [worker]: { parent: 1, own: 0, exitedChildren: 420 } },
    ),
  ).toEqual({ children: 50 });
});

test('a backend that exits adds the CPU time that it used during the measurement to the shared part of Postgres', () => {
  const pid = () => postmaster;
  expect(
    measure(
      [backendsOf('kinora', pid), sharedPostgres(pid)],
      { [postmaster]: { parent: 1, own: 5 }, 21: backend(800), 22: backend(10) },
      { [postmaster]: { parent: 1, own: 6, exitedChildren: 830 }, 22: backend(30) },
    ),
  ).toEqual({ 'postgres (kinora)': 20, 'postgres (shared)': 31 });
});
