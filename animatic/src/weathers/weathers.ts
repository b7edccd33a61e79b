import type { WeatherName } from '../storyboard/vocabulary.ts';
import { aurora } from './aurora.ts';
import { clear } from './clear.ts';
import { clouds } from './clouds.ts';
import { fog } from './fog.ts';
import { rain } from './rain.ts';
import { snow } from './snow.ts';
import { stars } from './stars.ts';
import { storm } from './storm.ts';
import type { Weather } from './weather.ts';

/** Every weather by its name. */
export const weathers: Record<WeatherName, Weather> = { clear, clouds, rain, storm, snow, fog, stars, aurora };
