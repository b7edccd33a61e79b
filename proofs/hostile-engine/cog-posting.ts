import type { Call, CallScene } from './call-scene.ts';
import { honestCalls } from './cog-callbacks.ts';
import type { End, Mutation } from './mutation.ts';

export type Calls = (scene: CallScene) => Call[];

/** A mutation of what is posted. */
export function posting(
  name: string,
  calls: Calls,
  ends: { once?: readonly End[]; always?: readonly End[] },
): Mutation {
  return { name, operations: ['callback'], spoil: (honest) => honest, calls, ...ends };
}

/** One call at the moment of the end, in place of the truth. */
export function atTheEnd(body: (scene: CallScene) => string | Buffer): Calls {
  return (scene) => [{ atMilliseconds: 300, body: body(scene) }];
}

/** Something before the truth, which must not be harmed by it. */
export function beforehand(calls: Calls): Calls {
  return (scene) => [...calls(scene), ...honestCalls(scene)];
}
