import type { SceneName } from '../storyboard/vocabulary.ts';
import { abstract } from './abstract.ts';
import { city } from './city.ts';
import { desert } from './desert.ts';
import { forest } from './forest.ts';
import { mountains } from './mountains.ts';
import type { Scene } from './scene.ts';
import { sea } from './sea.ts';
import { space } from './space.ts';
import { town } from './town.ts';

/** Every scene by its name. */
export const scenes: Record<SceneName, Scene> = { mountains, sea, forest, city, town, desert, space, abstract };
