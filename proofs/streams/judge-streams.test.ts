import { expect, test } from 'vitest';
import { judgeLateness, judgeStreams } from './judge-streams.ts';
import type { Arrival, Evidence, StreamRecord } from './streams-evidence.ts';

const planned = { streams: 300, tasks: 100 };

/** Evidence of a hundred tasks with two task streams and one project stream each; every event arrived within 30 ms. */
function measured(): Evidence {
  const causes = Array.from({ length: 100 }, (_, index) => ({
    taskId: `task_${index}`,
    sentAt: 1_000 * index,
    committedAt: 1_000 * index + 10,
  }));
  const record = (
    number: number,
    kind: StreamRecord['kind'],
    taskIds: string[],
    arrivals: Arrival[],
  ): StreamRecord => ({
    number,
    kind,
    url: '',
    headers: {},
    taskIds,
    responseStatus: 200,
    arrivals,
    hasEnded: kind === 'task',
    keepAlives: 1,
  });
  const streams = causes.flatMap(({ taskId, sentAt }, index) => {
    const state = (status: string, id: string, at: number): Arrival => ({ event: 'task', id, taskId, status, at });
    const states = () => [state('queued', '1', sentAt - 500), state('cancelled', '2', sentAt + 20)];
    const event: Arrival = {
      event: 'video.cancelled',
      id: `evt_${index}`,
      taskId,
      status: 'cancelled',
      at: sentAt + 30,
    };
    return [
      record(3 * index, 'task', [taskId], states()),
      record(3 * index + 1, 'task', [taskId], states()),
      record(3 * index + 2, 'project', [taskId], [event]),
    ];
  });
  return { streams, causes, memory: { beforeBytes: 100e6, openBytes: 100e6 + 300 * 20_480 }, secondsToOpen: 2 };
}

const firstOf = ({ streams: [first] }: Evidence): StreamRecord => first ?? expect.fail('there is no stream');
const projectOf = ({ streams }: Evidence): StreamRecord => streams[2] ?? expect.fail('there is no stream');

test('the judge of streams accepts a run in which every event arrived once', () => {
  const { figures, failures } = judgeStreams([measured()], planned);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({
    streams: 300,
    deliveries: 300,
    toAllP99Milliseconds: 20,
    toAllWithTheCancelP99Milliseconds: 30,
    toEachP50Milliseconds: 10,
    kilobytesPerStream: 20,
  });
});

const late = (evidence: Evidence, events: number): void => {
  for (const stream of evidence.streams.slice(0, 3 * events)) for (const one of stream.arrivals) one.at += 300;
};

const doctored: [name: string, doctor: (evidence: Evidence) => void, objection: RegExp][] = [
  ['a state that never came', (evidence) => void firstOf(evidence).arrivals.pop(), /never sent the end of task_0/],
  ['an event that never came', (evidence) => void projectOf(evidence).arrivals.pop(), /never sent the end of task_0/],
  [
    'an event that came twice',
    (evidence) => void projectOf(evidence).arrivals.push(...structuredClone(projectOf(evidence).arrivals)),
    /sent the end of task_0 2 times/,
  ],
  ['a stream that was refused', (evidence) => void (firstOf(evidence).responseStatus = 503), /got the response 503/],
  [
    'a stream that does not start with the current state',
    (evidence) => void firstOf(evidence).arrivals.shift(),
    /current state/,
  ],
  ['versions out of order', (evidence) => firstOf(evidence).arrivals.forEach((one) => (one.id = '1')), /versions/],
  ['a task stream that stays open', (evidence) => void (firstOf(evidence).hasEnded = false), /did not end/],
  ['a project stream that ends', (evidence) => void (projectOf(evidence).hasEnded = true), /ended by itself/],
  [
    'a task of another project',
    (evidence) => {
      const [arrival] = structuredClone(projectOf(evidence).arrivals);
      if (arrival) projectOf(evidence).arrivals.push({ ...arrival, taskId: 'task_7' });
    },
    /not its own/,
  ],
  [
    'an end before its cancel',
    (evidence) => firstOf(evidence).arrivals.forEach((one) => (one.at -= 5_000)),
    /before its cancel was sent/,
  ],
  [
    'two streams of a project that send its events in different orders',
    (evidence) => {
      const [first, second] = [structuredClone(projectOf(evidence)), structuredClone(projectOf(evidence))];
      const again = first.arrivals.map((one) => ({ ...one, id: 'evt_other', event: 'task' }));
      first.arrivals.push(...again);
      second.arrivals.unshift(...again);
      evidence.streams.push(first, second);
    },
    /another order than stream 2/,
  ],
  ['too few streams', (evidence) => void evidence.streams.pop(), /only 299 of 300 streams/],
  ['too few events', (evidence) => void evidence.causes.pop(), /only 99 of 100 events/],
];

test.each(doctored)('the judge of streams objects to %s', (_name, doctor, objection) => {
  const evidence = measured();
  doctor(evidence);
  expect(judgeStreams([evidence], planned).failures.join('\n')).toMatch(objection);
});

test('the judge of lateness accepts one slow event of a hundred, because it is beyond p99', () => {
  const evidence = measured();
  late(evidence, 1);
  expect(judgeLateness([evidence])).toEqual([]);
});

/** Evidence of a round in which a stall of the machine delayed two events. */
function delayed(): Evidence {
  const evidence = measured();
  late(evidence, 2);
  return evidence;
}

test('the judge of lateness objects to one slow reader of two events', () => {
  const evidence = measured();
  for (const index of [0, 3]) for (const one of evidence.streams[index]?.arrivals ?? []) one.at += 300;
  expect(judgeLateness([evidence])).toEqual([expect.stringMatching(/took 310 ms at p99/)]);
});

test('the judge of lateness accepts late events if another round kept the promise', () => {
  expect(judgeLateness([delayed(), measured()])).toEqual([]);
});

test('the judge of lateness objects to late events in every round', () => {
  expect(judgeLateness([delayed(), delayed()])).toEqual([expect.stringMatching(/took 320 ms, 320 ms at p99/)]);
});

test('the judge of streams ignores how late events are', () => {
  expect(judgeStreams([delayed()], planned).failures).toEqual([]);
});

test('the judge of streams objects to an event that came twice in any round', () => {
  const evidence = measured();
  projectOf(evidence).arrivals.push(...structuredClone(projectOf(evidence).arrivals));
  expect(judgeStreams([evidence, measured()], planned).failures.join('\n')).toMatch(/the end of task_0 2 times/);
});
