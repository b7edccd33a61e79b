import { cogMutations } from './cog-mutations.ts';
import { comfyUiMutations } from './comfyui-mutations.ts';
import { commonMutations } from './common-mutations.ts';
import { type End, json, type Mutation, type Protocol } from './mutation.ts';
import { openAiVideosMutations } from './openai-videos-mutations.ts';
import { progressMutations, stateMutations } from './state-mutations.ts';

/** Returns all lies of an engine of a protocol. */
export function mutationsOf(protocol: Protocol): Mutation[] {
  const common = commonMutations(protocol);
  switch (protocol) {
    case 'animatic':
      return [...common, ...animaticMutations()];
    case 'cog':
      return [...common, ...cogMutations()];
    case 'comfyui':
      return [...common, ...comfyUiMutations()];
    default:
      return [...common, ...openAiVideosMutations(protocol)];
  }
}

function animaticMutations(): Mutation[] {
  const failure = (reason: string) => ({ code: 'zq_unknown_code', reason });
  const states = stateMutations({ field: 'state', succeeded: 'succeeded', failed: 'failed', failure });
  const words: [code: string, ends: readonly End[]][] = [
    ['engine_out_of_memory', ['engine_out_of_memory']],
    ['output_rejected', ['output_rejected']],
    // Only Kinora may set these codes, not an engine.
    ['deadline_exceeded', ['engine_crashed']],
    ['internal_error', ['engine_crashed']],
    ['__proto__', ['engine_crashed']],
  ];
  const codes = words.map(
    ([code, ends]): Mutation => ({
      name: `the failure ${code}`,
      operations: ['poll'],
      spoil: () => json({ state: 'failed', progress: 10, code, reason: 'zq-engine-word' }),
      always: ends,
    }),
  );
  // The animatic reports a lack of memory by a code, not in its text.
  const own = states.filter(({ name }) => name !== 'out of memory');
  return [...progressMutations('progress'), ...own, ...codes];
}
