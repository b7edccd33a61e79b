import { type End, engineWords, json, type Mutation, type Protocol, raw, withFields } from './mutation.ts';
import { progressMutations, stateMutations } from './state-mutations.ts';

const done: readonly End[] = ['completed'];
const late: readonly End[] = ['engine_lost', 'deadline_exceeded', 'generation_stalled'];
/** For a job whose id the engine did not return: Kinora finds it in the engine's list, or counts it as lost. */
const found: readonly End[] = ['completed', 'engine_lost'];

/** Invalid ids, and ids that would change the path that they become part of. */
const ids: readonly unknown[] = [
  '../../../health',
  '..%2f..%2fhealth',
  'a/b',
  '?id=x',
  '#x',
  'é✓漢字',
  '\u0000',
  'x'.repeat(10_000),
  '',
  null,
  42,
  ['a'],
  { id: 'a' },
  '__proto__',
];

/** Returns the lies of a server with `/v1/videos`. */
export function openAiVideosMutations(protocol: Protocol): Mutation[] {
  const failure = (message: string) => ({ error: { code: 'zq', message } });
  const common = [
    ...progressMutations('progress'),
    ...stateMutations({ field: 'status', succeeded: 'completed', failed: 'failed', failure }),
    ...ids.map(
      (id): Mutation => ({
        name: `the id ${JSON.stringify(id)?.slice(0, 30)}`,
        operations: ['submit'],
        spoil: (honest) => withFields(honest, { id }),
        once: done,
        always: found,
      }),
    ),
    ...addresses(),
    ...otherIds(),
    ...lists(),
    ...errorShapes(),
  ];
  return protocol === 'vllm-omni' ? [...common, ...failedWithStatus()] : common;
}

/** Returns successes with addresses and paths, which Kinora must ignore: it fetches the file from its fixed path. */
function addresses(): Mutation[] {
  return ['url', 'urls', 'file_path', 'download_url', 'content'].map((field) => ({
    name: `a forbidden address as ${field}`,
    operations: ['poll', 'submit'],
    spoil: (honest, { canaryUrl }) => withFields(honest, { [field]: field === 'urls' ? [canaryUrl] : canaryUrl }),
    always: done,
  }));
}

function otherIds(): Mutation[] {
  return [
    {
      name: "another task's id",
      operations: ['poll'],
      spoil: (honest, { otherJobId }) => withFields(honest, { id: otherJobId }),
      once: done,
      always: late,
    },
    {
      name: "another task's failure",
      operations: ['poll'],
      spoil: (honest, { otherJobId }) =>
        withFields(honest, { id: otherJobId, status: 'failed', error: { message: engineWords } }),
      once: done,
      always: late,
    },
    {
      name: 'the id of a job that does not exist',
      operations: ['submit'],
      spoil: (honest) => withFields(honest, { id: 'no-such-job' }),
      once: done,
      always: ['engine_lost'],
    },
  ];
}

/** Returns lies in the list of jobs, which Kinora requests if the response to a submit has no id. */
function lists(): Mutation[] {
  const spoilt: [name: string, list: string][] = [
    ['HTML', '<html></html>'],
    ['no entries', '{"data":[]}'],
    ['entries that are not jobs', '{"data":[null,1,"a",[]]}'],
    ['entries without ids', '{"data":[{"created_at":99999999999}]}'],
    ['an id with a path to elsewhere', '{"data":[{"id":"../../health","created_at":99999999999}]}'],
    ['an invalid time', '{"data":[{"id":"abc","created_at":"now"}]}'],
  ];
  return spoilt.map(([name, list]) => ({
    name: `a list with ${name} after a submit without an id`,
    operations: ['submit', 'list'],
    // Only the first lists are wrong: an honest list follows within the time in which an engine must list a job.
    spoil: (honest, { operation, count }) => (operation === 'submit' ? raw('{}') : count < 5 ? raw(list) : honest),
    always: done,
  }));
}

function errorShapes(): Mutation[] {
  const shapes: readonly unknown[] = [
    'zq-engine-word',
    null,
    7,
    [],
    ['zq-engine-word'],
    {},
    { message: 7 },
    { message: { a: 1 } },
  ];
  return shapes.map((error) => ({
    name: `the error ${JSON.stringify(error)}`,
    operations: ['poll'],
    spoil: (honest) => withFields(honest, { status: 'failed', error }),
    always: ['engine_crashed'],
  }));
}

/** Returns failed jobs as vLLM-Omni reports them: with an error status and the job as the body. */
function failedWithStatus(): Mutation[] {
  return [400, 422, 500, 503].map((status) => ({
    name: `a failed job with status ${status}`,
    operations: ['poll'],
    spoil: (_, { jobId }) => json({ id: jobId, status: 'failed', error: { message: engineWords } }, status),
    once: done,
    always: ['engine_crashed'],
  }));
}
