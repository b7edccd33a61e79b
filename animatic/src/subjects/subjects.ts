import type { SubjectName } from '../storyboard/vocabulary.ts';
import { balloon } from './balloon.ts';
import { bird } from './bird.ts';
import { boat } from './boat.ts';
import { car } from './car.ts';
import { fish } from './fish.ts';
import { person } from './person.ts';
import { rocket } from './rocket.ts';
import type { Subject } from './subject.ts';
import { train } from './train.ts';

/** Every subject by its name. */
export const subjects: Record<SubjectName, Subject> = { boat, bird, car, balloon, person, fish, train, rocket };
