import type { Call, CallScene } from './call-scene.ts';
import { honestCalls } from './cog-callbacks.ts';
import type { End, Mutation } from './mutation.ts';

export type Calls = (scene: CallScene) => Call[];

/** Makes a mutation of callbacks. By default the task completes in spite of them. */
export function posting(
  name: string,
  calls: Calls,
  ends: { once?: readonly End[]; always?: readonly End[] } = { always: ['completed'] },
): Mutation {
  return { name, operations: ['callback'], spoil: (honest) => honest, calls, ...ends };
}

/** Replaces all honest callbacks by one at the end of the job. */
export function atTheEnd(body: (scene: CallScene) => string | Buffer): Calls {
  return (scene) => [{ atMilliseconds: 300, body: body(scene) }];
}

/** Adds callbacks to the honest ones, which must still take effect. */
export function beforehand(calls: Calls): Calls {
  return (scene) => [...calls(scene), ...honestCalls(scene)];
}
