import type { CallScene } from './call-scene.ts';
import { dataUrl, prediction } from './cog-callbacks.ts';
import { atTheEnd, beforehand, type Calls, posting } from './cog-posting.ts';
import { type End, engineWords, type Mutation } from './mutation.ts';

const done: readonly End[] = ['completed'];
const lost: readonly End[] = ['engine_lost'];
const crashed: readonly End[] = ['engine_crashed'];

type ChangeToken = (parts: { task: string; attempt: string; signature: string; otherTask: string }) => string;

const tokens: [name: string, change: ChangeToken][] = [
  ['a token without a signature', ({ task, attempt }) => `${task}.${attempt}.`],
  ['a token with another signature', ({ task, attempt }) => `${task}.${attempt}.${'A'.repeat(43)}`],
  ['a token for the next attempt', ({ task, signature }) => `${task}.2.${signature}`],
  ['a token for another task', ({ otherTask, attempt, signature }) => `${otherTask}.${attempt}.${signature}`],
  ['a token with an escaped NUL', ({ task, attempt, signature }) => `${task}.${attempt}.${signature}%00`],
  ['a token with a path to elsewhere', () => '..%2f..%2fmetrics'],
  ['a token of 10 kB', () => 't'.repeat(10_000)],
];

/** Returns callbacks about other tasks, and callbacks with forged tokens. */
export function strangerMutations(): Mutation[] {
  const failed = (id: string): string => prediction(id, { status: 'failed', error: engineWords });
  const forged = (change: ChangeToken): Calls =>
    beforehand(({ job, other }) => {
      const url = job.webhook ?? '';
      const token = url.slice(url.lastIndexOf('/') + 1);
      const [task = '', attempt = '', signature = ''] = token.split('.');
      const otherTask = other?.webhook?.split('/').at(-1)?.split('.')[0] ?? task;
      const base = url.slice(0, url.lastIndexOf('/'));
      const target = `${base}/${change({ task, attempt, signature, otherTask })}`;
      const about = otherTask === task ? job.id : (other?.id ?? job.id);
      return [
        { atMilliseconds: 50, url: target, body: failed(about) },
        { atMilliseconds: 60, url: target, body: failed(job.id) },
      ];
    });
  return [
    posting(
      "another task's id",
      beforehand(({ other, job }) => [{ atMilliseconds: 50, body: failed(other?.id ?? `${job.id}0`) }]),
    ),
    posting(
      "success under another task's id alone",
      atTheEnd(({ job, other, video }) =>
        prediction(other?.id ?? `${job.id}0`, { status: 'succeeded', output: dataUrl(video) }),
      ),
      { once: done, always: lost },
    ),
    posting(
      "another task's address",
      beforehand(({ job, other }) =>
        [{ atMilliseconds: 50, url: other?.webhook ?? job.webhook ?? '', body: failed(job.id) }].filter(
          ({ url }) => url !== job.webhook,
        ),
      ),
    ),
    ...tokens.map(([name, change]) => posting(name, forged(change))),
  ];
}

/** Returns callbacks that come early, repeatedly or too late. */
export function timingMutations(): Mutation[] {
  const success = ({ job, video }: CallScene): string =>
    prediction(job.id, { status: 'succeeded', output: dataUrl(video) });
  const failure = ({ job }: CallScene): string => prediction(job.id, { status: 'failed', error: engineWords });
  const early = (
    name: string,
    body: (scene: CallScene) => string,
    ends: { once?: readonly End[]; always: readonly End[] },
  ): Mutation => ({
    name,
    operations: ['callback', 'submit'],
    // The response to the submit comes only after the callbacks.
    spoil: (honest) => (response) => {
      setTimeout(() => {
        response.writeHead(honest.status, honest.headers);
        response.end(honest.body);
      }, 1_500);
    },
    calls: (scene) => [{ atMilliseconds: 0, body: body(scene) }],
    ...ends,
  });
  return [
    early('success before the response to the submit', success, { always: done }),
    early('a failure before the response to the submit', failure, { always: crashed }),
    posting('success three times', (scene) =>
      [300, 310, 900].map((atMilliseconds) => ({ atMilliseconds, body: success(scene) })),
    ),
    posting('a failure after the success', (scene) => [
      { atMilliseconds: 300, body: success(scene) },
      ...[900, 1_500].map((atMilliseconds) => ({ atMilliseconds, body: failure(scene) })),
    ]),
    posting(
      'success after the failure',
      (scene) => [
        { atMilliseconds: 300, body: failure(scene) },
        { atMilliseconds: 900, body: success(scene) },
      ],
      { once: done, always: crashed },
    ),
    posting(
      'success and failure at the same moment',
      (scene) => [success(scene), failure(scene)].map((body) => ({ atMilliseconds: 300, body })),
      { always: [...done, ...crashed] },
    ),
    posting(
      'the same progress a hundred times',
      beforehand(({ job }) =>
        Array.from({ length: 100 }, (_, index) => ({
          atMilliseconds: 5 * index,
          body: prediction(job.id, { status: 'processing' }),
        })),
      ),
    ),
    posting(
      'a success of the first attempt during the second',
      (scene) => [
        { atMilliseconds: 300, body: failure(scene) },
        ...[1_000, 1_500, 2_000, 3_000, 4_500].map((atMilliseconds) => ({
          atMilliseconds,
          body: success({ ...scene, video: scene.otherVideo }),
        })),
      ],
      { once: done, always: crashed },
    ),
  ];
}
