import { createCity } from './city.ts';
import type { Scene } from './scene.ts';

/** An old town: roofs of tile, steeples and domes. */
export const town: Scene = { hasSky: true, create: (setting) => createCity(setting, 'old town') };
