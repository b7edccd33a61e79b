import type { SubjectName } from './vocabulary.ts';

/** Who does something in the pictures: a subject, or a thing of the scene such as clouds, leaves and waves. */
export type Doer = SubjectName | 'scenery';

const onFoot: readonly Doer[] = ['person'];
const inTheAir: readonly Doer[] = ['bird', 'balloon', 'rocket'];

/**
 * What a prompt may say that something does, and who really does it in the pictures. For anybody else the verb is named
 * in the warning, so that nobody waits for a dance that is not drawn. Verbs that every subject fulfils, such as "pass"
 * and "travel", are stop words instead.
 */
export const doings: Readonly<Record<string, readonly Doer[]>> = {
  blow: ['scenery'],
  bob: ['boat'],
  burst: [],
  chug: ['train'],
  circle: ['bird', 'scenery'],
  crash: [],
  dance: ['scenery'],
  dive: ['fish', 'bird'],
  drift: ['boat', 'balloon', 'fish', 'scenery'],
  drop: ['scenery'],
  fall: ['scenery'],
  flap: ['bird'],
  float: ['boat', 'balloon', 'scenery'],
  flow: ['scenery'],
  fly: inTheAir,
  hang: ['balloon', 'scenery'],
  hover: ['bird', 'balloon'],
  jog: onFoot,
  jump: [],
  landing: [],
  launch: ['rocket'],
  leap: [],
  lie: ['scenery'],
  lift: ['rocket', 'balloon', 'scenery'],
  lying: ['scenery'],
  march: onFoot,
  play: ['scenery'],
  puff: ['train'],
  rest: ['scenery'],
  ride: ['train', 'car', 'boat', 'balloon'],
  rise: ['rocket', 'balloon', 'scenery'],
  roam: onFoot,
  run: [...onFoot, 'train', 'car', 'scenery'],
  sit: ['scenery'],
  soar: inTheAir,
  spin: ['scenery'],
  splash: [],
  stand: ['scenery'],
  stretch: ['scenery'],
  sway: ['boat', 'scenery'],
  sweep: ['scenery'],
  swim: ['fish'],
  wait: [],
  walk: onFoot,
  wander: onFoot,
};
