import { type End, type EngineResponse, engineWords, json, type Mutation, raw, withFields } from './mutation.ts';

const done: readonly End[] = ['completed'];
const late: readonly End[] = ['engine_lost', 'deadline_exceeded', 'generation_stalled'];
const megabyte = 1024 * 1024;

/** Invalid percentages, as JSON texts, because some JSON numbers have no JavaScript literal. */
const progresses = [
  '-5',
  '-1e308',
  '1e308',
  '1e999',
  'NaN',
  '150',
  '"42"',
  'null',
  'true',
  '[]',
  '{"value":3}',
  '99.999999',
];

/** Returns impossible progress. It must not change the end, and the caller must see percentages that never fall. */
export function progressMutations(field: string): Mutation[] {
  const replaced = (honest: EngineResponse, text: string): EngineResponse => {
    const body = honest.body.toString('utf8').replace(new RegExp(`"${field}":[^,}]+`), `"${field}":${text}`);
    return { ...honest, body: Buffer.from(body) };
  };
  const wild = progresses.map(
    (text): Mutation => ({
      name: `progress ${text}`,
      operations: ['poll'],
      spoil: (honest, { isOver }) => (isOver ? honest : replaced(honest, text)),
      once: done,
      always: done,
      watchesProgress: true,
    }),
  );
  return [
    ...wild,
    {
      name: 'progress that falls',
      operations: ['poll'],
      spoil: (honest, { count, isOver }) => (isOver ? honest : replaced(honest, count % 2 === 0 ? '90' : '10')),
      always: done,
      watchesProgress: true,
    },
  ];
}

interface StateWords {
  /** The field that holds the state. */
  field: string;
  succeeded: string;
  failed: string;
  /** Returns the fields of a failure with this text. */
  failure: (text: string) => Record<string, unknown>;
}

/** Returns false and invalid states, for a protocol that Kinora polls. */
export function stateMutations({ field, succeeded, failed, failure }: StateWords): Mutation[] {
  const poll = { operations: ['poll'] } as const;
  const unknown = ['"done"', '""', 'null', '7', '{}', '["completed"]', '"COMPLETED"', JSON.stringify(engineWords)];
  const failing = (name: string, text: string, always: readonly End[]): Mutation => ({
    name,
    ...poll,
    spoil: (honest) => withFields(honest, { [field]: failed, ...failure(text) }),
    once: done,
    always,
  });
  return [
    ...unknown.map(
      (text): Mutation => ({
        name: `the state ${text}`,
        ...poll,
        spoil: (honest) => withFields(honest, { [field]: JSON.parse(text) as unknown }),
        once: done,
        always: late,
      }),
    ),
    {
      name: 'no state at all',
      ...poll,
      spoil: (honest) => withFields(honest, { [field]: undefined }),
      once: done,
      always: late,
    },
    {
      name: 'success before the end, without a file',
      operations: ['poll', 'output'],
      spoil: (honest, { operation }) =>
        operation === 'poll'
          ? withFields(honest, { [field]: succeeded, progress: 100 })
          : json({ error: engineWords }, 404),
      always: ['output_invalid'],
    },
    failing('a failure with paths and keys', engineWords, ['engine_crashed']),
    failing('a failure without a reason', '', ['engine_crashed']),
    failing('a failure of 500 kB', engineWords.padEnd(500_000, 'e'), ['engine_crashed']),
    failing('a failure of 10 MB', engineWords.padEnd(10 * megabyte, 'e'), late),
    failing('out of memory', `CUDA out of memory. ${engineWords}`, ['engine_out_of_memory']),
    failing('markup as the reason', `<script>alert(1)</script>\u0000\u202e${engineWords}`, ['engine_crashed']),
    {
      name: 'two states in one response',
      ...poll,
      spoil: (honest) => raw(honest.body.toString('utf8').replace('{', `{"${field}":"${failed}",`)),
      once: done,
      always: done, // The last one counts, as JSON parsers do.
    },
  ];
}
