import type { Layer } from '../../drawing/layer.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createBeach } from './beach.ts';
import { createDune } from './dune.ts';
import { createJetty } from './jetty.ts';
import { createRocks } from './rocks.ts';

/** Creates the place from which the sea is seen: a beach, a dune, a jetty, rocks, or nothing but open water. */
export function createForeshore(setting: Setting): Layer[] {
  const { dice, storyboard, palette } = setting;
  if (storyboard.features.includes('rocks')) return createRocks(setting);
  if (storyboard.features.includes('breakers')) return createBeach(setting);
  // Grass in front shows how small a paper boat is.
  if (storyboard.features.includes('paperBoat')) return createDune(setting);
  if (storyboard.weather === 'storm') return dice.chance(0.6) ? createRocks(setting) : [];
  // Without a subject, there must be a shore to look at.
  const kind = storyboard.subject
    ? dice.pick(['rocks', 'dune', 'open', 'open', 'rocks'])
    : storyboard.season === 'winter'
      ? dice.pick(['rocks', 'dune', 'jetty'])
      : palette.isDay
        ? dice.pick(['beach', 'beach', 'beach', 'dune', 'jetty'])
        : dice.pick(['beach', 'dune', 'jetty', 'jetty', 'rocks']);
  if (kind === 'open') return [];
  return { beach: createBeach, dune: createDune, jetty: createJetty, rocks: createRocks }[kind](setting);
}
