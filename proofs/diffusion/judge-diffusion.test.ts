import { expect, test } from 'vitest';
import type { Evidence, SeenCancel, SeenTask } from './diffusion-evidence.ts';
import { judgeDiffusion } from './judge-diffusion.ts';

const demand = { none: 3, cancelled: 1, 'engine killed': 2, "engine's worker killed": 1, 'worker killed': 1 };
const shape = { width: 480, height: 480, fps: 16, frameCount: 2, rendered: '64x64' };

function task(name: string, changes: Partial<SeenTask> = {}): SeenTask {
  return {
    name,
    blow: 'none',
    recipe: 'long, seed 11',
    wanted: shape,
    status: 'completed',
    code: null,
    attempts: [{ outcome: 'completed', takeovers: 0 }],
    said: { ...shape },
    file: { width: 480, height: 480, fps: 16, digests: ['a', 'b'] },
    samples: [
      { attempt: 1, progress: 0, source: 'none' },
      { attempt: 1, progress: 12, source: 'engine' },
    ],
    submits: { 'task-1': 1 },
    starts: { 'task-1': 1 },
    progressAtBlow: null,
    secondsToEnd: 5,
    ...changes,
  };
}

const unfinished = { said: null, file: null } as const;
const again = {
  attempts: ['engine_lost', 'completed'].map((outcome) => ({ outcome, takeovers: 0 })),
  submits: { 'task-1': 1, 'task-2': 1 },
  starts: { 'task-1': 1, 'task-2': 1 },
  progressAtBlow: 12,
};

/** Everything that the proof does, once, with the best of ends. */
function observed(): Evidence {
  return {
    tasks: [
      task('left alone'),
      task('again'),
      task('another', { recipe: 'long, seed 12', file: { width: 480, height: 480, fps: 16, digests: ['c', 'd'] } }),
      task('cancelled', {
        ...unfinished,
        blow: 'cancelled',
        status: 'cancelled',
        attempts: [{ outcome: 'cancelled', takeovers: 0 }],
        progressAtBlow: 12,
      }),
      task('engine', { blow: 'engine killed', ...again }),
      task('lost', {
        ...unfinished,
        ...again,
        blow: 'engine killed',
        status: 'failed',
        code: 'engine_lost',
        attempts: Array.from({ length: 3 }, () => ({ outcome: 'engine_lost', takeovers: 0 })),
        submits: { 'task-1': 1, 'task-2': 1, 'task-3': 1 },
        starts: { 'task-1': 1, 'task-2': 1, 'task-3': 1 },
      }),
      task("engine's worker", {
        ...again,
        blow: "engine's worker killed",
        attempts: ['engine_crashed', 'refused', 'completed'].map((outcome) => ({ outcome, takeovers: 0 })),
        submits: { 'task-1': 1, 'task-3': 1 },
        starts: { 'task-1': 1, 'task-3': 1 },
      }),
      task('worker', {
        blow: 'worker killed',
        attempts: [{ outcome: 'completed', takeovers: 1 }],
        progressAtBlow: 12,
      }),
    ],
    cancels: [{ name: 'cancelled', answered: 'cancelled', busyShareBefore: 0.9, idleAfterSeconds: 0.1 }],
  };
}

test('a promise that was kept is not objected to', () => {
  expect(judgeDiffusion(observed(), demand).failures).toEqual([]);
});

type Doctor = (seen: Evidence) => void;
/** Changes what was seen; a doctor that finds nothing to change would prove nothing. */
const change =
  (name: string, changes: Partial<SeenTask>): Doctor =>
  ({ tasks }) => {
    const found = tasks.find((one) => one.name === name);
    if (!found) throw new Error('there is nothing to doctor');
    Object.assign(found, changes);
  };
const changeCancel =
  (changes: Partial<SeenCancel>): Doctor =>
  ({ cancels }) => {
    expect(cancels).toHaveLength(1);
    for (const cancel of cancels) Object.assign(cancel, changes);
  };
const file = (changes: Partial<NonNullable<SeenTask['file']>>) => ({
  file: { width: 480, height: 480, fps: 16, digests: ['a', 'b'], ...changes },
});
const attempts = (...outcomes: string[]) => ({ attempts: outcomes.map((outcome) => ({ outcome, takeovers: 0 })) });

const doctored: [name: string, doctor: Doctor, objection: RegExp][] = [
  ['a wrong size', change('again', file({ height: 482 })), /the file holds 2 frames of 480x482 at 16 fps, not/],
  ['a frame too many', change('again', file({ digests: ['a', 'b', 'c'] })), /the file holds 3 frames/],
  ['another rate', change('again', file({ fps: 15 })), /at 15 fps, not/],
  ['a file that is missing', change('again', { file: null }), /the file holds null/],
  ['a task that says more than its file', change('again', { said: { ...shape, frameCount: 3 } }), /tells of 3 frames/],
  ['another canvas', change('again', { said: { ...shape, rendered: '480x480' } }), /rendered on 480x480, not 64x64/],
  [
    'other frames for the same seed',
    change('again', file({ digests: ['a', 'x'] })),
    /again has other frames than left/,
  ],
  ['other frames after a kill', change('engine', file({ digests: ['a', 'x'] })), /engine has other frames than left/],
  ['the same frames for another seed', change('another', file({})), /another .* has the frames of left alone/],
  [
    'a video that failed',
    change('again', { ...unfinished, status: 'failed', code: 'engine_crashed' }),
    /ended as failed/,
  ],
  [
    'a second attempt that nothing called for',
    change('again', again),
    /ended as completed after engine_lost, completed/,
  ],
  [
    'progress that nobody reported',
    change('worker', { samples: [{ attempt: 1, progress: 12, source: 'none' }] }),
    /comes from "none"/,
  ],
  [
    'progress that was only estimated',
    change('worker', { samples: [{ attempt: 1, progress: 12, source: 'estimated' }] }),
    /none of the engine's steps was seen/,
  ],
  [
    'progress that was never seen',
    change('worker', { samples: [{ attempt: 1, progress: 0, source: 'none' }] }),
    /none of the engine's steps was seen/,
  ],
  [
    'progress that falls',
    change('worker', {
      samples: [12, 11].map((progress) => ({ attempt: 1, progress, source: 'engine' })),
    }),
    /its progress fell from 12 to 11/,
  ],
  ['a cancel that did not end the task', change('cancelled', { status: 'in_progress' }), /it hangs as in_progress/],
  ['a cancelled task with a video', change('cancelled', { said: shape }), /shows a video although it is cancelled/],
  ['a cancel that was not answered at once', changeCancel({ answered: 'in_progress' }), /answered with in_progress/],
  ['an engine that computes on', changeCancel({ idleAfterSeconds: null }), /computed on after the cancel/],
  ['an engine that stops late', changeCancel({ idleAfterSeconds: 3.2 }), /idle only 3.2 s after/],
  ['an engine that did nothing anyway', changeCancel({ busyShareBefore: 0 }), /at 0 % of a processor/],
  ['a task that hangs', change('engine', { status: 'queued', ...unfinished }), /engine: it hangs as queued/],
  ['a task that survives its engine', change('engine', attempts('completed')), /engine: it ended as completed/],
  ['a wrong code after a kill', change('lost', { code: 'internal_error' }), /lost: it ended as failed internal_error/],
  [
    'a kill of the engine that passes for a crash',
    change('engine', attempts('engine_crashed', 'completed')),
    /engine: it ended as completed after engine_crashed/,
  ],
  ['a kill that came too late', change('engine', { progressAtBlow: 100 }), /not mid-run but at 100 %/],
  ['a kill before any step', change('worker', { progressAtBlow: 0 }), /not mid-run but at 0 %/],
  ['a job that was submitted twice', change('worker', { submits: { 'task-1': 2 } }), /task-1 was submitted 2 times/],
  [
    'a job that no attempt knows',
    change('worker', { submits: { 'task-1': 1, 'task-2': 1 } }),
    /2 jobs .* in 1 attempts/,
  ],
  ['a job that was rendered twice', change('worker', { starts: { 'task-1': 2 } }), /task-1 was rendered 2 times/],
  ['a job that was never rendered', change('worker', { starts: {} }), /0 jobs were rendered in 1 attempts/],
  ['a worker that was not missed', change('worker', attempts('completed')), /no worker took it over/],
  [
    'a killed worker that cost an attempt',
    change('worker', { ...attempts('engine_lost', 'completed'), submits: again.submits }),
    /worker: it ended as completed after engine_lost/,
  ],
  ['too few kills', ({ tasks }) => void tasks.splice(4, 1), /1 tasks of the kind "engine killed", 2 are needed/],
  ['cancels that nobody measured', ({ cancels }) => void cancels.pop(), /too few cancels/],
  [
    'nothing to compare',
    (seen) => void (seen.tasks = seen.tasks.filter(({ name }) => name === 'left alone')),
    /nothing was rendered twice[^]*no two videos/,
  ],
];

test.each(doctored)('it objects to %s', (_name, doctor, objection) => {
  const seen = observed();
  doctor(seen);
  expect(judgeDiffusion(seen, demand).failures.join('\n')).toMatch(objection);
});
