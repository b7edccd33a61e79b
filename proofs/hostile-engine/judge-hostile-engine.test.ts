import { expect, it } from 'vitest';
import type { Evidence, ObservedTask } from './hostile-evidence.ts';
import { judgeHostileEngine } from './judge-hostile-engine.ts';

const megabyte = 1024 * 1024;
const demand = { mutatedResponses: 3, hostileTasks: 2, honestTasks: 1, filesDecoded: 1, sentMegabytes: 5 };
const shape = { width: 480, height: 480, fps: 16, frameCount: 16 };

const completed: ObservedTask = {
  name: 'animatic: an honest job',
  protocol: 'animatic',
  ends: ['completed'],
  mutatedResponses: null,
  status: 'completed',
  error: null,
  video: shape,
  expected: { shape, colour: 'red' },
  file: { colour: 'red', width: 480, height: 480, frameCount: 16 },
  progress: [
    { attempt: 1, progress: 10 },
    { attempt: 1, progress: 80 },
    { attempt: 2, progress: 0 },
  ],
  publicText: `{"video_url":"http://127.0.0.1/v1/videos/task_1/content?signature=xCUDa${'x'.repeat(38)}"}`,
  seconds: 2,
};
const failed: ObservedTask = {
  ...completed,
  name: 'cog, callback: a page, always',
  protocol: 'cog',
  ends: ['output_invalid'],
  mutatedResponses: 3,
  status: 'failed',
  error: {
    code: 'output_invalid',
    message: 'The engine did not deliver a usable video. Try again with another seed.',
  },
  video: null,
  file: null,
};
const cancelled: ObservedTask = {
  ...failed,
  name: 'sglang, cancel: JSON null, once',
  ends: ['cancelled'],
  status: 'cancelled',
  error: null,
  mutatedResponses: 1,
};
const worker = {
  role: 'worker',
  warmBytes: 300 * megabyte,
  peakBytes: 400 * megabyte,
  hasEnded: false,
  fatalLines: [],
};

const kept: Evidence = {
  tasks: [completed, failed, cancelled],
  roles: [worker],
  canaryConnections: [],
  sentBytes: 5 * megabyte,
};
const failuresOf = (evidence: Partial<Evidence>) => judgeHostileEngine({ ...kept, ...evidence }, demand).failures;
const withTask = (change: Partial<ObservedTask>, task = failed) =>
  failuresOf({ tasks: [...kept.tasks.filter((known) => known !== task), { ...task, ...change }] });

it('the judge of hostile engines accepts a run in which every task ended correctly, and counts its tasks', () => {
  const { failures, figures } = judgeHostileEngine(kept, demand);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({
    hostileTasks: 2,
    honestTasks: 1,
    mutatedResponses: 4,
    completed: 1,
    output_invalid: 1,
    cancelled: 1,
    workerPeakMegabytes: 400,
  });
});

it.each<[string, Partial<ObservedTask>, ObservedTask?]>([
  ['the task never ended', { status: 'in_progress', error: null }],
  [
    'the task ended as engine_lost',
    { error: { code: 'engine_lost', message: 'The engine lost the job, each time it was tried. Try again later.' } },
  ],
  ['the task ended as completed', { status: 'completed', error: null, video: shape }],
  ['the task ended as cancelled', { status: 'cancelled', video: null, file: null }, completed],
  ['the task ended as failed without an error', { error: null }],
  ['the engine never had to lie', { mutatedResponses: 0 }],
  ["not Kinora's own text", { error: { code: 'output_invalid', message: 'RuntimeError: no' } }],
  ['has a video although', { video: shape }],
  ['the API says "zq-engine"', { publicText: '{"reason":"zq-engine-word"}' }],
  ['the API says "CUDA"', { publicText: '{"reason":"signature=CUDA out of memory"}' }],
  ['the API says "/opt/"', { publicText: '{"reason":"/opt/engines/x"}' }],
  ['the progress was -5', { progress: [{ attempt: 1, progress: -5 }] }],
  ['the progress was NaN', { progress: [{ attempt: 1, progress: Number.NaN }] }],
  ['the progress fell from 90 to 10', { progress: [90, 10].map((progress) => ({ attempt: 1, progress })) }],
  ['the task completed with null', { video: null }, completed],
  ['the task completed with', { video: { ...shape, frameCount: 15 } }, completed],
  ['the file has 3 frames', { file: { colour: 'red', width: 480, height: 480, frameCount: 3 } }, completed],
  ['the file is blue instead of red', { file: { colour: 'blue', width: 480, height: 480, frameCount: 16 } }, completed],
])('the judge of hostile engines objects with "%s"', (objection, change, task) => {
  expect(withTask(change, task).join('\n')).toContain(objection);
});

it('the judge of hostile engines objects to a role that grew, exited or logged a fatal error', () => {
  const [grown] = failuresOf({ roles: [{ ...worker, peakBytes: 701 * megabyte }] });
  expect(grown).toBe('worker grew by 401 MB');
  expect(failuresOf({ roles: [{ ...worker, hasEnded: true }] })).toEqual(['worker exited by itself']);
  expect(failuresOf({ roles: [{ ...worker, fatalLines: ['the worker stopped'] }] }).join()).toContain(
    'the worker stopped',
  );
});

it('the judge of hostile engines objects to a connection to the canary', () => {
  expect(failuresOf({ canaryConnections: ['127.0.0.1:4'] }).join()).toContain('only an engine named');
});

it('the judge of hostile engines objects if too little was done', () => {
  expect(failuresOf({ tasks: [completed, cancelled] })).toHaveLength(2);
  expect(failuresOf({ tasks: [failed, cancelled] })).toHaveLength(2);
  expect(failuresOf({ sentBytes: megabyte })).toEqual(['too little was done: sentMegabytes is 1 of 5']);
});
