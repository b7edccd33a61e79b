import { expect, it } from 'vitest';
import type { Evidence, SeenTask } from './hostile-evidence.ts';
import { judgeHostileEngine } from './judge-hostile-engine.ts';

const megabyte = 1024 * 1024;
const demand = { mutatedResponses: 3, hostileTasks: 2, honestTasks: 1, filesLookedAt: 1, sentMegabytes: 5 };
const shape = { width: 480, height: 480, fps: 16, frameCount: 16 };

const completed: SeenTask = {
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
const failed: SeenTask = {
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
const cancelled: SeenTask = {
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
const withTask = (change: Partial<SeenTask>, task = failed) =>
  failuresOf({ tasks: [...kept.tasks.filter((known) => known !== task), { ...task, ...change }] });

it('accepts a run in which everything ended rightly, and counts it', () => {
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

it.each<[string, Partial<SeenTask>, SeenTask?]>([
  ['it never ended', { status: 'in_progress', error: null }],
  [
    'it ended as engine_lost',
    { error: { code: 'engine_lost', message: 'The engine lost the job, each time it was tried. Try again later.' } },
  ],
  ['it ended as completed', { status: 'completed', error: null, video: shape }],
  ['it ended as cancelled', { status: 'cancelled', video: null, file: null }, completed],
  ['it ended as failed without an error', { error: null }],
  ['never asked for what it lies about', { mutatedResponses: 0 }],
  ['not our own text', { error: { code: 'output_invalid', message: 'RuntimeError: no' } }],
  ['has a video although', { video: shape }],
  ['the API says "zq-engine"', { publicText: '{"reason":"zq-engine-word"}' }],
  ['the API says "CUDA"', { publicText: '{"reason":"signature=CUDA out of memory"}' }],
  ['the API says "/opt/"', { publicText: '{"reason":"/opt/engines/x"}' }],
  ['its progress was -5', { progress: [{ attempt: 1, progress: -5 }] }],
  ['its progress was NaN', { progress: [{ attempt: 1, progress: Number.NaN }] }],
  ['its progress fell from 90 to 10', { progress: [90, 10].map((progress) => ({ attempt: 1, progress })) }],
  ['it is completed with null', { video: null }, completed],
  ['it is completed with', { video: { ...shape, frameCount: 15 } }, completed],
  ['its file holds 3 frames', { file: { colour: 'red', width: 480, height: 480, frameCount: 3 } }, completed],
  ['its file is blue instead of red', { file: { colour: 'blue', width: 480, height: 480, frameCount: 16 } }, completed],
])('objects: %s', (objection, change, task) => {
  expect(withTask(change, task).join('\n')).toContain(objection);
});

it('objects to a role that grew, ended, or said that it must', () => {
  const [grown] = failuresOf({ roles: [{ ...worker, peakBytes: 701 * megabyte }] });
  expect(grown).toBe('worker grew by 401 MB');
  expect(failuresOf({ roles: [{ ...worker, hasEnded: true }] })).toEqual(['worker ended by itself']);
  expect(failuresOf({ roles: [{ ...worker, fatalLines: ['the worker stopped'] }] }).join()).toContain(
    'the worker stopped',
  );
});

it('objects to a connection to the canary', () => {
  expect(failuresOf({ canaryConnections: ['127.0.0.1:4'] }).join()).toContain('only an engine named');
});

it('objects when too little was done', () => {
  expect(failuresOf({ tasks: [completed, cancelled] })).toHaveLength(2);
  expect(failuresOf({ tasks: [failed, cancelled] })).toHaveLength(2);
  expect(failuresOf({ sentBytes: megabyte })).toEqual(['too little was done: sentMegabytes is 1 of 5']);
});
