import { expect, test } from 'vitest';
import type { Evidence, ObservedCancel, ObservedTask } from './diffusion-evidence.ts';
import { judgeDiffusion } from './judge-diffusion.ts';

const demand = { none: 3, cancelled: 1, 'engine killed': 2, "engine's worker killed": 1, 'worker killed': 1 };
const shape = { width: 480, height: 480, fps: 16, frameCount: 2, rendered: '64x64' };

function task(name: string, changes: Partial<ObservedTask> = {}): ObservedTask {
  return {
    name,
    disruption: 'none',
    recipe: 'long, seed 11',
    wanted: shape,
    status: 'completed',
    code: null,
    attempts: [{ outcome: 'completed', takeovers: 0 }],
    reported: { ...shape },
    file: { width: 480, height: 480, fps: 16, digests: ['a', 'b'] },
    samples: [
      { attempt: 1, progress: 0, source: 'none' },
      { attempt: 1, progress: 12, source: 'engine' },
    ],
    submits: { 'task-1': 1 },
    starts: { 'task-1': 1 },
    progressAtDisruption: null,
    secondsToEnd: 5,
    ...changes,
  };
}

const unfinished = { reported: null, file: null } as const;
const retried = {
  attempts: ['engine_lost', 'completed'].map((outcome) => ({ outcome, takeovers: 0 })),
  submits: { 'task-1': 1, 'task-2': 1 },
  starts: { 'task-1': 1, 'task-2': 1 },
  progressAtDisruption: 12,
};

/** Evidence of a run that did everything once and kept the promise. */
function observed(): Evidence {
  return {
    tasks: [
      task('left alone'),
      task('again'),
      task('another', { recipe: 'long, seed 12', file: { width: 480, height: 480, fps: 16, digests: ['c', 'd'] } }),
      task('cancelled', {
        ...unfinished,
        disruption: 'cancelled',
        status: 'cancelled',
        attempts: [{ outcome: 'cancelled', takeovers: 0 }],
        progressAtDisruption: 12,
      }),
      task('engine', { disruption: 'engine killed', ...retried }),
      task('lost', {
        ...unfinished,
        ...retried,
        disruption: 'engine killed',
        status: 'failed',
        code: 'engine_lost',
        attempts: Array.from({ length: 3 }, () => ({ outcome: 'engine_lost', takeovers: 0 })),
        submits: { 'task-1': 1, 'task-2': 1, 'task-3': 1 },
        starts: { 'task-1': 1, 'task-2': 1, 'task-3': 1 },
      }),
      task("engine's worker", {
        ...retried,
        disruption: "engine's worker killed",
        attempts: ['engine_crashed', 'refused', 'completed'].map((outcome) => ({ outcome, takeovers: 0 })),
        submits: { 'task-1': 1, 'task-3': 1 },
        starts: { 'task-1': 1, 'task-3': 1 },
      }),
      task('worker', {
        disruption: 'worker killed',
        attempts: [{ outcome: 'completed', takeovers: 1 }],
        progressAtDisruption: 12,
      }),
    ],
    cancels: [{ name: 'cancelled', responseStatus: 'cancelled', busyShareBefore: 0.9, idleAfterSeconds: 0.1 }],
  };
}

test('the judge of diffusion accepts a run that kept the promise', () => {
  expect(judgeDiffusion(observed(), demand).failures).toEqual([]);
});

type Doctor = (evidence: Evidence) => void;
/** Changes the evidence; throws if there is nothing to change, because the test would then prove nothing. */
const change =
  (name: string, changes: Partial<ObservedTask>): Doctor =>
  ({ tasks }) => {
    const found = tasks.find((one) => one.name === name);
    if (!found) throw new Error('there is nothing to change');
    Object.assign(found, changes);
  };
const changeCancel =
  (changes: Partial<ObservedCancel>): Doctor =>
  ({ cancels }) => {
    expect(cancels).toHaveLength(1);
    for (const cancel of cancels) Object.assign(cancel, changes);
  };
const file = (changes: Partial<NonNullable<ObservedTask['file']>>) => ({
  file: { width: 480, height: 480, fps: 16, digests: ['a', 'b'], ...changes },
});
const attempts = (...outcomes: string[]) => ({ attempts: outcomes.map((outcome) => ({ outcome, takeovers: 0 })) });

const doctored: [name: string, doctor: Doctor, objection: RegExp][] = [
  ['a wrong size', change('again', file({ height: 482 })), /the file holds 2 frames of 480x482 at 16 fps, not/],
  ['a frame too many', change('again', file({ digests: ['a', 'b', 'c'] })), /the file holds 3 frames/],
  ['another rate', change('again', file({ fps: 15 })), /at 15 fps, not/],
  ['a missing file', change('again', { file: null }), /the file holds null/],
  [
    'a task that reports more frames than its file has',
    change('again', { reported: { ...shape, frameCount: 3 } }),
    /the task reports 3 frames/,
  ],
  [
    'another canvas',
    change('again', { reported: { ...shape, rendered: '480x480' } }),
    /rendered on 480x480, not 64x64/,
  ],
  [
    'other frames for the same seed',
    change('again', file({ digests: ['a', 'x'] })),
    /again has other frames than left alone/,
  ],
  [
    'other frames after a kill',
    change('engine', file({ digests: ['a', 'x'] })),
    /engine has other frames than left alone/,
  ],
  ['the same frames for another seed', change('another', file({})), /another .* has the frames of left alone/],
  [
    'a video that failed',
    change('again', { ...unfinished, status: 'failed', code: 'engine_crashed' }),
    /ended as failed/,
  ],
  [
    'a second attempt without a disruption',
    change('again', retried),
    /ended as completed after engine_lost, completed/,
  ],
  [
    'progress without a source',
    change('worker', { samples: [{ attempt: 1, progress: 12, source: 'none' }] }),
    /comes from "none"/,
  ],
  [
    'progress that was only ever estimated',
    change('worker', { samples: [{ attempt: 1, progress: 12, source: 'estimated' }] }),
    /the engine's own progress was never seen/,
  ],
  [
    'a task without progress',
    change('worker', { samples: [{ attempt: 1, progress: 0, source: 'none' }] }),
    /the engine's own progress was never seen/,
  ],
  [
    'progress that falls',
    change('worker', {
      samples: [12, 11].map((progress) => ({ attempt: 1, progress, source: 'engine' })),
    }),
    /the progress fell from 12 to 11/,
  ],
  [
    'a cancel that did not end the task',
    change('cancelled', { status: 'in_progress' }),
    /the task hangs as in_progress/,
  ],
  [
    'a cancelled task with a video',
    change('cancelled', { reported: shape }),
    /reports a video although it is cancelled/,
  ],
  [
    'a cancel whose response has another status',
    changeCancel({ responseStatus: 'in_progress' }),
    /the status in_progress/,
  ],
  [
    'an engine that never stops computing',
    changeCancel({ idleAfterSeconds: null }),
    /never became idle after the cancel/,
  ],
  ['an engine that stops late', changeCancel({ idleAfterSeconds: 3.2 }), /idle only 3.2 s after/],
  ['an engine that was idle before the cancel', changeCancel({ busyShareBefore: 0 }), /used only 0 % of a processor/],
  ['a task that hangs', change('engine', { status: 'queued', ...unfinished }), /engine: the task hangs as queued/],
  ['a task that survives its engine', change('engine', attempts('completed')), /engine: the task ended as completed/],
  [
    'a wrong code after a kill',
    change('lost', { code: 'internal_error' }),
    /lost: the task ended as failed internal_error/,
  ],
  [
    'a kill of the engine that is reported as a crash',
    change('engine', attempts('engine_crashed', 'completed')),
    /engine: the task ended as completed after engine_crashed/,
  ],
  ['a kill that came too late', change('engine', { progressAtDisruption: 100 }), /not mid-run but at 100 %/],
  ['a kill before any step', change('worker', { progressAtDisruption: 0 }), /not mid-run but at 0 %/],
  ['a job submitted twice', change('worker', { submits: { 'task-1': 2 } }), /task-1 was submitted 2 times/],
  ['a job without an attempt', change('worker', { submits: { 'task-1': 1, 'task-2': 1 } }), /2 jobs .* in 1 attempts/],
  ['a job rendered twice', change('worker', { starts: { 'task-1': 2 } }), /task-1 was rendered 2 times/],
  ['a job never rendered', change('worker', { starts: {} }), /0 jobs were rendered in 1 attempts/],
  ['a killed worker without a takeover', change('worker', attempts('completed')), /no worker took the task over/],
  [
    'a killed worker that cost an attempt',
    change('worker', { ...attempts('engine_lost', 'completed'), submits: retried.submits }),
    /worker: the task ended as completed after engine_lost/,
  ],
  ['too few kills', ({ tasks }) => void tasks.splice(4, 1), /1 tasks of the kind "engine killed"; 2 are required/],
  ['unmeasured cancels', ({ cancels }) => void cancels.pop(), /too few cancels/],
  [
    'nothing to compare',
    (evidence) => void (evidence.tasks = evidence.tasks.filter(({ name }) => name === 'left alone')),
    /no recipe was rendered twice[^]*no two videos/,
  ],
];

test.each(doctored)('the judge of diffusion objects to %s', (_name, doctor, objection) => {
  const evidence = observed();
  doctor(evidence);
  expect(judgeDiffusion(evidence, demand).failures.join('\n')).toMatch(objection);
});
