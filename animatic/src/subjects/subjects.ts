import type { SubjectName } from '../storyboard/vocabulary.ts';
import { balloon } from './balloon.ts';
import { bird } from './bird.ts';
import { boat } from './boat.ts';
import { car } from './car.ts';
import { cat } from './cat.ts';
import { dog } from './dog.ts';
import { fish } from './fish.ts';
import { horse } from './horse.ts';
import { person } from './person.ts';
import { robot } from './robot.ts';
import { rocket } from './rocket.ts';
import type { Subject } from './subject.ts';
import { train } from './train.ts';

/** Every subject by its name. */
export const subjects: Record<SubjectName, Subject> = {
  boat,
  bird,
  car,
  balloon,
  person,
  fish,
  train,
  rocket,
  cat,
  dog,
  horse,
  robot,
};
