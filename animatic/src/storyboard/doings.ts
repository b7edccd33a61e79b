import type { SubjectName } from './vocabulary.ts';

/** Who does something in the pictures: a subject, or a thing of the scene such as clouds, leaves and waves. */
export type Doer = SubjectName | 'scenery';

const onFoot: readonly Doer[] = ['person', 'cat', 'dog', 'robot'];
/** They can sit or sleep, which has a pose of its own. */
const restful: readonly Doer[] = ['cat', 'dog'];
const standing: readonly Doer[] = ['cat', 'dog', 'horse', 'robot'];
const inTheAir: readonly Doer[] = ['bird', 'balloon', 'rocket'];

/** What a subject does in a pose of its own, instead of going its way. */
export type ActionName = 'sit' | 'stand' | 'sleep' | 'dance';

/** The verbs for each action. `doings` says who can do it. */
export const actions: Readonly<Record<ActionName, readonly string[]>> = {
  sit: ['sit', 'sat', 'seated', 'rest'],
  stand: ['stand', 'stood', 'wait'],
  sleep: ['sleep', 'slept', 'asleep', 'nap', 'doze', 'snooze', 'lie', 'lying'],
  dance: ['dance'],
};

/**
 * What a prompt may say that something does, and who really does it in the pictures. For anybody else the verb is named
 * in the warning, so that nobody waits for a dance that is not drawn. Verbs that every subject fulfils, such as "pass"
 * and "travel", are stop words instead.
 */
export const doings: Readonly<Record<string, readonly Doer[]>> = {
  asleep: restful,
  blow: ['scenery'],
  bob: ['boat'],
  burst: [],
  canter: ['horse'],
  chug: ['train'],
  circle: ['bird', 'scenery'],
  crash: [],
  dance: ['robot', 'scenery'],
  dive: ['fish', 'bird'],
  doze: restful,
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
  lie: [...restful, 'scenery'],
  lift: ['rocket', 'balloon', 'scenery'],
  lying: [...restful, 'scenery'],
  march: ['person', 'robot'],
  nap: restful,
  play: ['scenery'],
  prowl: ['cat'],
  puff: ['train'],
  rest: [...restful, 'scenery'],
  ride: ['train', 'car', 'boat', 'balloon'],
  rise: ['rocket', 'balloon', 'scenery'],
  roam: [...onFoot, 'horse'],
  run: ['person', 'dog', 'horse', 'train', 'car', 'scenery'],
  sat: [...restful, 'scenery'],
  seated: restful,
  sit: [...restful, 'scenery'],
  sleep: restful,
  slept: restful,
  snooze: restful,
  soar: inTheAir,
  spin: ['scenery'],
  splash: [],
  stand: [...standing, 'scenery'],
  stood: [...standing, 'scenery'],
  stretch: ['scenery'],
  sway: ['boat', 'scenery'],
  sweep: ['scenery'],
  swim: ['fish'],
  trot: ['dog'],
  wag: ['dog'],
  wait: standing,
  walk: onFoot,
  wander: onFoot,
};
