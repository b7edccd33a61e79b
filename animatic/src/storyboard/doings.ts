import type { ActionName, SubjectName } from './vocabulary.ts';

/** Who does something in the pictures: a subject, or a thing of the scene such as clouds, leaves and waves. */
export type Doer = SubjectName | 'scenery';

const onFoot: readonly Doer[] = ['person', 'cat', 'dog', 'robot'];
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
  canter: ['horse'],
  chug: ['train'],
  circle: ['bird', 'scenery'],
  crash: [],
  dive: ['fish', 'bird'],
  drift: ['boat', 'balloon', 'fish', 'scenery'],
  drop: ['scenery'],
  fall: ['scenery'],
  flap: ['bird'],
  float: ['boat', 'balloon', 'scenery'],
  flow: ['scenery'],
  fly: inTheAir,
  gallop: ['horse'],
  hang: ['balloon', 'scenery'],
  hover: ['bird', 'balloon'],
  jog: ['person', 'dog'],
  jump: [],
  landing: [],
  launch: ['rocket'],
  leap: [],
  lift: ['rocket', 'balloon', 'scenery'],
  march: ['person', 'robot'],
  play: ['scenery'],
  prowl: ['cat'],
  puff: ['train'],
  rest: ['scenery'],
  ride: ['train', 'car', 'boat', 'balloon'],
  rise: ['rocket', 'balloon', 'scenery'],
  roam: [...onFoot, 'horse'],
  run: ['person', 'dog', 'horse', 'train', 'car', 'scenery'],
  soar: inTheAir,
  spin: ['scenery'],
  splash: [],
  stretch: ['scenery'],
  sway: ['boat', 'scenery'],
  sweep: ['scenery'],
  swim: ['fish'],
  trot: ['dog'],
  wag: ['dog'],
  wait: [],
  walk: onFoot,
  wander: onFoot,
};

/** The same for the actions of the vocabulary: a subject that can do several does the first that the prompt names. */
export const actionDoers: Readonly<Record<ActionName, readonly Doer[]>> = {
  sit: ['cat', 'dog', 'scenery'],
  stand: ['cat', 'dog', 'horse', 'robot', 'scenery'],
  sleep: ['cat', 'dog', 'scenery'],
  dance: ['robot', 'scenery'],
};
