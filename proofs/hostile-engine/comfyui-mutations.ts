import { brokenResponses } from './broken-responses.ts';
import { frame, message } from './comfyui-frames.ts';
import { savingNode } from './comfyui-protocol.ts';
import { type End, engineWords, type FrameScene, json, type Mutation, type Spoil, withFields } from './mutation.ts';
import { stateMutations } from './state-mutations.ts';

const done: readonly End[] = ['completed'];
const late: readonly End[] = ['engine_lost', 'deadline_exceeded', 'generation_stalled'];
const megabyte = 1024 * 1024;

/** Returns the lies of a ComfyUI server. */
export function comfyUiMutations(): Mutation[] {
  const failure = (text: string) => ({
    execution_error: { exception_type: 'RuntimeError', exception_message: text, traceback: [engineWords] },
  });
  return [
    ...stateMutations({ field: 'status', succeeded: 'completed', failed: 'failed', failure }),
    ...outputs(),
    ...submits(),
    ...uploads(),
    ...frames(),
    {
      name: "another task's id",
      operations: ['poll'],
      spoil: (honest, { otherJobId }) => withFields(honest, { id: otherJobId }),
      once: done,
      always: late,
    },
  ];
}

/** Returns outputs that are not this job's files, or not files. */
function outputs(): Mutation[] {
  const file = (fields: Record<string, unknown>) => (jobId: string) => ({
    images: [{ filename: `${jobId}_00001_.mp4`, subfolder: 'kinora', type: 'output', ...fields }],
  });
  const shapes: [name: string, made: (jobId: string) => unknown][] = [
    ['no output', () => null],
    ['an output without files', () => ({ images: [] })],
    ['entries that are not files', () => ({ images: [null, 7, 'a', []] })],
    [
      'two files',
      (jobId) => ({
        images: [1, 2].map((n) => ({ filename: `${jobId}_${n}.mp4`, subfolder: 'kinora', type: 'output' })),
      }),
    ],
    ['a file of another kind', file({ type: 'input' })],
    ['a file without a name', file({ filename: '' })],
    ['a name with a path to elsewhere', file({ filename: '../../../etc/passwd' })],
    ['a folder with a path to elsewhere', file({ subfolder: '../../etc' })],
    ['an absolute folder', file({ subfolder: '/etc' })],
    ['an address as a name', file({ filename: 'http://169.254.169.254/latest/meta-data/' })],
    ['a name of 10 kB', file({ filename: 'n'.repeat(10_000) })],
    ['a name that is a number', file({ filename: 7 })],
    [
      "another task's file",
      () => ({
        images: [{ filename: '11111111-1111-4111-8111-111111111111_00001_.mp4', subfolder: 'kinora', type: 'output' }],
      }),
    ],
  ];
  return shapes.map(([name, made]) => ({
    name,
    operations: ['poll'],
    spoil: (honest, { isOver, jobId }) =>
      isOver ? withFields(honest, { outputs: { [savingNode]: made(jobId) } }) : honest,
    once: done,
    always: ['output_invalid'],
  }));
}

function submits(): Mutation[] {
  const lies: [name: string, fields: Record<string, unknown>, always: readonly End[]][] = [
    ["another task's id", { prompt_id: '11111111-1111-4111-8111-111111111111' }, done],
    ['an id that is a number', { prompt_id: 7 }, done],
    ['no id', { prompt_id: undefined }, done],
    ['errors of nodes', { node_errors: { [savingNode]: { errors: [engineWords] } } }, ['engine_rejected_input']],
    ['errors that are a list', { node_errors: [engineWords] }, done],
    ['errors that are a text', { node_errors: engineWords }, done],
  ];
  return lies.map(([name, fields, always]) => {
    const spoil: Spoil = (honest) => withFields(honest, fields);
    return { name, operations: ['submit'], spoil, once: always, always };
  });
}

/** Returns lies about uploads. They are all harmless, because the job is not submitted yet. */
function uploads(): Mutation[] {
  const names: [name: string, response: unknown][] = [
    ['no name', {}],
    ['a name that is a number', { name: 7, subfolder: '' }],
    ['a name with a path to elsewhere', { name: '../../etc/passwd', subfolder: '/' }],
  ];
  return [
    ...brokenResponses.map(({ name, spoil }): Mutation => ({ name, operations: ['upload'], spoil, once: done })),
    ...names.map(
      ([name, response]): Mutation => ({ name, operations: ['upload'], spoil: () => json(response), once: done }),
    ),
  ];
}

/** Returns lies over the socket. Kinora reads only percentages from it, so none may change how the task ends. */
function frames(): Mutation[] {
  const progress = (value: unknown, max: unknown) => (scene: FrameScene) => [
    message('progress_state', scene.promptId, { nodes: { '2': { value, max } } }),
  ];
  const lies: [name: string, made: (scene: FrameScene) => Buffer[]][] = [
    ['a text that is not JSON', () => [frame('<html>')]],
    ['JSON null', () => [frame('null')]],
    [
      'lists and numbers',
      () => [frame('[]'), frame('7'), frame('"a"'), frame('{"data":null}'), frame('{"type":7,"data":{}}')],
    ],
    ['JSON nested 100,000 deep', () => [frame('['.repeat(100_000))]],
    ['a message of 10 MB', () => [frame(Buffer.alloc(10 * megabyte, 'a'))]],
    ['an announcement of 8 EB', () => [frame('a', 1, true, 2n ** 62n)]],
    [
      'a fragment without an end',
      () => [frame(Buffer.alloc(megabyte, 'a'), 1, false), frame(Buffer.alloc(megabyte, 'a'), 0, false)],
    ],
    ['text that is not UTF-8', () => [frame(Buffer.from([0xff, 0xfe, 0xfd]))]],
    ['pictures', () => [frame(Buffer.alloc(100_000), 2)]],
    ['an unknown kind of frame', () => [frame('a', 0xb)]],
    ['masked frames', () => [Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])]],
    ['a thousand pings', () => [Buffer.concat(Array.from({ length: 1000 }, () => frame('', 9)))]],
    ['a close', () => [frame(Buffer.from([0x03, 0xe8]), 8)]],
    ['an invalid close code', () => [frame(Buffer.from([0x00, 0x01]), 8)]],
    ['noise', () => [Buffer.alloc(1000, 0xa5)]],
    [
      'success before the end',
      ({ promptId }) => [message('execution_success', promptId, {}), message('executing', promptId, { node: null })],
    ],
    ['a false failure', ({ promptId }) => [message('execution_error', promptId, { exception_message: engineWords })]],
    [
      "another task's failure",
      ({ otherPromptId }) => [message('execution_error', otherPromptId, { exception_message: engineWords })],
    ],
    ["another task's success", ({ otherPromptId }) => [message('execution_success', otherPromptId, {})]],
    ['negative progress', progress(-5, 10)],
    ['progress beyond the end', progress(1e308, 1)],
    ['progress with a maximum of 0', progress(5, 0)],
    ['progress in words', progress('5', '10')],
    [
      'progress that is a list',
      ({ promptId }) => [
        message('progress_state', promptId, { nodes: [1, 2] }),
        message('progress', promptId, { value: [], max: {}, node: '2' }),
      ],
    ],
    [
      'nodes that do not exist',
      ({ promptId }) => [
        message('progress_state', promptId, { nodes: { __proto__: { value: 9, max: 1 }, zq: { value: 9, max: 1 } } }),
      ],
    ],
  ];
  return lies.map(([name, made]) => ({
    name: `frames with ${name}`,
    operations: ['frames'],
    spoil: (honest) => honest,
    frames: made,
    always: done,
    watchesProgress: true,
  }));
}
