import { describe, expect, it } from 'vitest';
import type { Evidence, Start, Times } from './fairness-evidence.ts';
import { sizes } from './fairness-size.ts';
import { judgeFairness } from './judge-fairness.ts';
import { judgeFairnessTimes } from './judge-fairness-times.ts';

const { planned } = sizes.ci;

/** Starts on four slots without gaps between jobs, in the order of these projects. */
function startsOf(order: readonly string[], length = 600): Start[] {
  return order.map((project, index) => {
    const beganAt = 1_000_000 + Math.floor(index / 4) * length;
    return { taskId: `task_${index}`, project, beganAt, endedAt: beganAt + length };
  });
}

const inTurn = (projects: readonly string[], rounds: number): string[] =>
  Array.from({ length: rounds }, () => projects).flat();

const positions = Array.from({ length: 200 }, (_, index) => ({ position: index + 10, begun: index + 9 }));

/** Evidence of a run that kept the promise. */
function fair(): Evidence {
  const equal = Array.from({ length: 20 }, (_, index) => `a${index}`);
  const cappedOrder = inTurn(['d1', 'd2'], 30);
  const cappedStarts = startsOf(cappedOrder);
  return {
    slots: 4,
    equal: {
      backlogs: equal.map((project) => ({ project, weight: 1, tasks: 25 })),
      starts: startsOf(inTurn(equal, 25)),
    },
    weighted: {
      backlogs: [
        { project: 'b1', weight: 1, tasks: 68 },
        { project: 'b3', weight: 3, tasks: 204 },
      ],
      starts: startsOf(inTurn(['b3', 'b1', 'b3', 'b3'], 68)),
    },
    light: Array.from({ length: 30 }, (_, index) => ({ heavyBefore: index % 6, heavyLeft: 80 - index })),
    capped: {
      cap: 2,
      starts: cappedStarts,
      running: cappedStarts.map(({ project, beganAt, endedAt }) => ({ project, from: beganAt, until: endedAt })),
    },
    filled: [4, 4, 4],
    positions,
  };
}

/** Measurements of a run that kept the promise. */
function measured(): Times {
  const starts = startsOf(inTurn(['e1', 'e2'], 24), 3_000).map((start, index) => ({
    ...start,
    slot: index % 4,
    startedAt: start.beganAt,
    freedAt: start.endedAt,
  }));
  return {
    slots: 4,
    jobMilliseconds: 600,
    light: {
      alone: Array.from({ length: 110 }, () => 0.2),
      beside: Array.from({ length: 110 }, () => 0.5),
      heavyWaiting: 1_000,
    },
    busy: { starts, waits: starts.map(({ beganAt }) => ({ from: 1_000_000, until: beganAt })) },
    positions,
  };
}

function objectionsTo(change: (evidence: Evidence) => void): string[] {
  const evidence = fair();
  change(evidence);
  return judgeFairness(evidence, planned).failures;
}

function objectionsToTimes(change: (times: Times) => void): string[] {
  const times = measured();
  change(times);
  return judgeFairnessTimes(times, planned).failures;
}

describe('the judge of fairness', () => {
  it('accepts a fair pool', () => {
    const { failures, figures } = judgeFairness(fair(), planned);
    expect(failures).toEqual([]);
    expect(figures).toMatchObject({ jain: 1, mostOfACapOfTwo: 2, positionsOffMedian: 1 });
    expect(figures['equalStarts']).toBeGreaterThan(300);
  });

  it('objects to a project that begins twice as often as the others', () => {
    const [one] = objectionsTo(({ equal }) => {
      const order = inTurn([...equal.backlogs.map(({ project }) => project), 'a0', 'a0', 'a0'], 17);
      equal.starts = startsOf(order);
      for (const backlog of equal.backlogs) backlog.tasks = 80;
    });
    expect(one).toContain("(a) Jain's index");
  });

  it('counts starts only while all projects have waiting tasks', () => {
    const objections = objectionsTo(({ equal }) => {
      for (const backlog of equal.backlogs.slice(0, 1)) backlog.tasks = 5;
    });
    expect(objections).toEqual([expect.stringContaining('(a) only ')]);
  });

  it('objects to shares that do not follow the weights', () => {
    const objections = objectionsTo(({ weighted }) => {
      weighted.starts = startsOf(inTurn(['b3', 'b1', 'b3'], 100));
      for (const backlog of weighted.backlogs) backlog.tasks = 300;
    });
    expect(objections).toEqual([expect.stringContaining('(b) shares are off by 50 %')]);
  });

  it('objects to one light task that more tasks of a heavy project overtake than there are slots and turns', () => {
    const objections = objectionsTo(({ light }) => void light.push({ heavyBefore: 6, heavyLeft: 40 }));
    expect(objections).toEqual([
      expect.stringContaining('(c) 6 tasks of the heavy project began before a light one; 5'),
    ]);
  });

  it('objects to a heavy project that had too few tasks to overtake anyone', () => {
    const objections = objectionsTo(({ light }) => void light.push({ heavyBefore: 5, heavyLeft: 5 }));
    expect(objections).toEqual([expect.stringContaining('(c) the heavy project had too few waiting tasks')]);
  });

  it('objects to a slot that stays empty while tasks wait', () => {
    const objections = objectionsTo(({ filled }) => void filled.push(3));
    expect(objections).toEqual([expect.stringContaining('(e) only 3 of 4 slots were filled')]);
  });

  it('objects to a third task at a cap of two, at the engine or in the rows', () => {
    const atEngine = objectionsTo(({ capped }) => {
      for (const start of capped.starts.slice(0, 1)) start.endedAt += 700;
    });
    const inRows = objectionsTo(({ capped }) => {
      for (const span of capped.running.slice(0, 1)) span.until += 700;
    });
    expect(atEngine).toEqual([expect.stringContaining('(d) 3 jobs of a project')]);
    expect(inRows).toEqual([expect.stringContaining('(d) 3 tasks of a project')]);
  });

  it('objects to a cap that was never reached', () => {
    const objections = objectionsTo(({ capped }) => {
      capped.starts = startsOf(inTurn(['d1', 'none', 'd2', 'none'], 30)).filter(({ project }) => project !== 'none');
    });
    expect(objections).toEqual([expect.stringContaining('(d) the cap was never reached')]);
  });

  it('objects to positions that are far off, but allows an error of one place', () => {
    const far = objectionsTo((evidence) => {
      evidence.positions = evidence.positions.map(({ begun }) => ({ position: begun * 1.2, begun }));
    });
    const near = objectionsTo((evidence) => {
      evidence.positions = evidence.positions.map(() => ({ position: 2, begun: 1 }));
    });
    expect(far).toEqual([expect.stringContaining('(f) the median position')]);
    expect(near).toEqual([]);
  });

  it('objects if too little was done', () => {
    const objections = objectionsTo((evidence) => {
      evidence.equal.starts = [];
      evidence.weighted.starts = [];
      evidence.light = [];
      evidence.capped.starts = [];
      evidence.filled = [];
      evidence.positions = [];
    });
    for (const part of ['a', 'b', 'c', 'd', 'e', 'f'])
      expect(objections).toContainEqual(expect.stringContaining(`(${part}) only`));
  });
});

describe('the judge of the times of fairness', () => {
  it('accepts short waits and busy slots', () => {
    expect(judgeFairnessTimes(measured(), planned).failures).toEqual([]);
  });

  it('objects to light tasks that wait behind a heavy project at p99, even if the average is good', () => {
    const objections = objectionsToTimes(({ light }) => {
      light.beside = light.beside.map((seconds, index) => (index < 3 ? 1.2 : seconds));
    });
    expect(objections).toEqual([expect.stringContaining('(c) light tasks waited 1.2 s at p99; 0.9 s')]);
  });

  it('objects to slots that are idle while a task waits, but not to slots that no task waits for', () => {
    const idle = objectionsToTimes(({ busy }) => {
      for (const start of busy.starts) start.endedAt -= 150;
    });
    const unneeded = objectionsToTimes(({ busy }) => {
      const [late] = busy.starts;
      if (late) busy.starts.push({ ...late, taskId: 'late', beganAt: 9_000_000, endedAt: 9_003_000 });
    });
    expect(idle).toEqual([expect.stringContaining('(e) slots were busy 95')]);
    expect(unneeded).toEqual([]);
  });

  it('objects if too little was measured', () => {
    const objections = objectionsToTimes((times) => {
      times.light = { alone: [], beside: [], heavyWaiting: 0 };
      times.busy = { starts: [], waits: [] };
      times.positions = [];
    });
    for (const part of ['c', 'e', 'f']) expect(objections).toContainEqual(expect.stringContaining(`(${part}) only`));
  });
});
