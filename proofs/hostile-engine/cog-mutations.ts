import { brokenVideos } from './broken-videos.ts';
import type { CallScene } from './call-scene.ts';
import { dataUrl, prediction } from './cog-callbacks.ts';
import { atTheEnd, beforehand, posting } from './cog-posting.ts';
import { strangerMutations, timingMutations } from './cog-stranger-mutations.ts';
import { type End, engineWords, json, type Mutation } from './mutation.ts';

const done: readonly End[] = ['completed'];
const lost: readonly End[] = ['engine_lost'];
const crashed: readonly End[] = ['engine_crashed'];
const invalid: readonly End[] = ['output_invalid'];
const megabyte = 1024 * 1024;

/** Returns the lies of a Cog server: in its health checks and in its callbacks. */
export function cogMutations(): Mutation[] {
  return [...healths(), ...outputs(), ...words(), ...noise(), ...strangerMutations(), ...timingMutations()];
}

function healths(): Mutation[] {
  const statuses: [status: unknown, always: readonly End[]][] = [
    ['READY', done],
    ['BUSY', done],
    ['zq-engine-word', done],
    [null, done],
    [7, done],
    // With these states the server itself says that it cannot run the job.
    ['STARTING', ['completed', 'engine_lost', 'engine_unavailable']],
    ['SETUP_FAILED', ['completed', 'engine_crashed', 'engine_unavailable']],
  ];
  return statuses.map(([status, always]) => ({
    name: `the health ${JSON.stringify(status)}`,
    operations: ['poll'],
    spoil: () => json({ status }),
    once: done,
    ...(always === done ? { always } : {}),
  }));
}

function outputs(): Mutation[] {
  const given: [name: string, output: (scene: CallScene) => unknown][] = [
    ['no output', () => undefined],
    ['null as the output', () => null],
    ['an empty list', () => []],
    ['a list of two', ({ video }) => [dataUrl(video), dataUrl(video)]],
    ['an object', ({ video }) => ({ video: dataUrl(video) })],
    ['a number', () => 7],
    ['text', () => engineWords],
    ['a forbidden address', ({ canaryUrl }) => canaryUrl],
    ['a list with a forbidden address', ({ canaryUrl }) => [canaryUrl]],
    ['a forbidden address in other digits', ({ canaryUrl }) => canaryUrl.replace('127.0.0.1', '2130706433')],
    ['a forbidden address by name', ({ canaryUrl }) => canaryUrl.replace('127.0.0.1', 'localhost')],
    ['a forbidden address for IPv6', ({ canaryUrl }) => canaryUrl.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
    ['the metadata address', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a file on the disk', () => 'file:///etc/passwd'],
    ['an address with a password', () => 'https://user:sk-engine-0000@127.0.0.1/a.mp4'],
    ['invalid base64', () => 'data:video/mp4;base64,!!!!'],
    ['truncated base64', ({ video }) => dataUrl(video).slice(0, -3)],
    ['a data URL without base64', () => 'data:text/html,<html>'],
  ];
  const files = brokenVideos.map(({ name, breakIt, mayPass }) =>
    posting(
      name,
      atTheEnd(({ job, video, canaryUrl }) =>
        prediction(job.id, { status: 'succeeded', output: dataUrl(breakIt(video, canaryUrl)) }),
      ),
      {
        once: done,
        always: mayPass ? ['output_invalid', 'completed'] : invalid,
      },
    ),
  );
  const shapes = given.map(([name, output]) =>
    posting(
      `success with ${name}`,
      atTheEnd((scene) => prediction(scene.job.id, { status: 'succeeded', output: output(scene) })),
      {
        once: done,
        always: invalid,
      },
    ),
  );
  return [...shapes, ...files];
}

function words(): Mutation[] {
  const failing = (name: string, error: unknown, always: readonly End[]): Mutation =>
    posting(
      name,
      atTheEnd(({ job }) => prediction(job.id, { status: 'failed', error })),
      { once: done, always },
    );
  return [
    failing('a failure with paths and keys', `Prediction failed: ${engineWords}`, crashed),
    failing('a failure without a reason', null, crashed),
    failing('a failure with a reason of 10 MB', engineWords.padEnd(10 * megabyte, 'e'), crashed),
    failing('a failure with a reason that no database column accepts', `a\u0000b\ud800c ${engineWords}`, crashed),
    failing('a failure with an object as the reason', { text: engineWords }, crashed),
    failing('out of memory', `torch.OutOfMemoryError: CUDA out of memory. ${engineWords}`, ['engine_out_of_memory']),
    posting(
      'a cancel that no caller requested',
      atTheEnd(({ job }) => prediction(job.id, { status: 'canceled' })),
      { once: done, always: lost },
    ),
    posting('no end', ({ job }) => [{ atMilliseconds: 100, body: prediction(job.id, { status: 'processing' }) }], {
      once: done,
      always: lost,
    }),
    posting(
      'impossible progress',
      beforehand(({ job }) =>
        ['-5/10', '9/0', '1e308/1', '90/10', 'NaN%', '-7%', '999%'].map((logs, index) => ({
          atMilliseconds: 40 * index,
          body: prediction(job.id, { status: 'processing', logs }),
        })),
      ),
    ),
    posting(
      'logs of 5 MB',
      beforehand(({ job }) => [
        { atMilliseconds: 100, body: prediction(job.id, { status: 'processing', logs: '5/10 '.repeat(megabyte) }) },
      ]),
    ),
  ];
}

/** Returns meaningless bodies that are posted before the honest callbacks. */
function noise(): Mutation[] {
  const bodies: [name: string, body: (jobId: string) => string | Buffer][] = [
    ['HTML', () => `<html>${engineWords}</html>`],
    ['nothing', () => ''],
    ['JSON null', () => 'null'],
    ['a list', () => '[]'],
    ['a number as the id', () => '{"id":7,"status":"succeeded"}'],
    ['half an object', (id) => `{"id":"${id}","status":"fail`],
    ['two ends', (id) => `{"id":"${id}","status":"failed","status":"succeeded"}`],
    ['two objects', (id) => `{"id":"${id}","status":"failed"}{"id":"${id}","status":"failed"}`],
    ['an unknown status', (id) => prediction(id, { status: 'sleeping' })],
    ['brackets without an end', () => '['.repeat(megabyte)],
    [
      'a thousand fields',
      (id) => `{${Array.from({ length: 1000 }, (_, index) => `"f${index}":1`).join(',')},"id":"${id}"`,
    ],
    ['bytes that are not UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22])],
    ['a prototype', () => '{"__proto__":{"id":"a","status":"failed"}}'],
  ];
  const posts = bodies.map(([name, body]) =>
    posting(
      `${name} before the valid callbacks`,
      beforehand(({ job }) => [{ atMilliseconds: 50, body: body(job.id) }]),
    ),
  );
  const start = ({ job, video }: CallScene): string => prediction(job.id, { output: dataUrl(video) }).slice(0, 2000);
  return [
    ...posts,
    posting(
      'a truncated body',
      beforehand((scene) => [{ atMilliseconds: 50, body: start(scene), manner: 'is cut' }]),
    ),
    // More bodies than concurrent uploads: they may delay callbacks of their own engine, but no other's.
    posting(
      'bodies that never end',
      beforehand((scene) =>
        Array.from({ length: 6 }, () => ({ atMilliseconds: 50, body: start(scene), manner: 'never ends' as const })),
      ),
      { always: [...done, ...lost] },
    ),
    posting(
      'a compressed body',
      beforehand(({ job }) => [
        {
          atMilliseconds: 50,
          body: prediction(job.id, { status: 'failed' }),
          headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' },
        },
      ]),
      { always: [...done, ...crashed] },
    ),
  ];
}
