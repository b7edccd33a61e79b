import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw, Layer } from '../../drawing/layer.ts';
import { disc, drawAt, fill, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createSprite } from '../../drawing/sprite.ts';
import { createOceanFace } from './ocean-face.ts';
import { createGiantFace, createPlanet, lightOn, type Planet, type SpaceColours } from './planet.ts';
import { createRing } from './planet-ring.ts';

/** Returns the colours of an ocean planet: the colours of the picture only shift them, so that seas stay blue. */
function wateryOf(colours: SpaceColours): SpaceColours {
  const [deepest, middle, bright, brightest] = colours.planet;
  const sea = colour(0.5, 0.12, 240);
  return {
    ...colours,
    planet: [
      mix(lighten(sea, -0.12), deepest, 0.2),
      mix(sea, middle, 0.2),
      mix(colour(0.68, 0.1, 130), bright, 0.4),
      brightest,
    ],
  };
}

/** Creates a planet with a moon that orbits it: behind the planet on the far half, in front of it on the near half. */
export function createPlanetLayer(
  setting: Setting,
  planet: Planet,
  colours: SpaceColours,
  kind: 'ringed' | 'ocean' | 'giant',
): Layer {
  const { dice } = setting;
  const light = lightOn(setting, planet);
  const ocean = kind === 'ocean' ? createOceanFace(setting, wateryOf(colours), light) : null;
  const upright = ocean ? { ...planet, lean: 0 } : planet;
  const draw = createPlanet(
    setting,
    upright,
    colours,
    ocean?.drawFace ?? createGiantFace(setting, colours),
    ocean?.drawNight,
  );
  const ring = kind === 'ringed' ? createRing(setting, planet, colours, dice.between(0.18, 0.34)) : null;
  const orbit = {
    x: kind === 'ringed' ? 2.35 : 1.55,
    y: dice.between(0.2, 0.4),
    start: dice.between(0, 1),
    size: dice.between(0.05, 0.08),
  };
  const face = css(mix(colours.planet[3], colours.air, 0.3));
  const shade = css(colours.deep, 0.82);

  const drawMoon: Draw = (context, moment) => {
    const angle = 2 * Math.PI * moment.turn(0.1, orbit.start);
    drawAt(context, { ...planet, angle: planet.lean, scale: planet.radius }, () => {
      context.translate(orbit.x * Math.cos(angle), orbit.x * orbit.y * Math.sin(angle));
      context.rotate(-planet.lean);
      fill(context, face, disc(0, 0, orbit.size));
      within(context, disc(0, 0, orbit.size), () =>
        fill(context, shade, disc(-light.x * orbit.size * 0.75, -light.y * orbit.size * 0.75, orbit.size * 1.08)),
      );
    });
  };
  // A planet turns too slowly to notice, so it is painted once, with its ring.
  const reach = planet.radius * (ring ? 2.15 : 1.3);
  const box = { left: planet.x - reach, top: planet.y - reach, width: 2 * reach, height: 2 * reach };
  const drawPlanet = createSprite(setting.pixelsPerUnit, box, (context) => {
    ring?.drawBehind(context);
    draw(context);
    ring?.drawBefore(context);
  });
  return {
    depth: 0.3,
    draw(context, moment) {
      const isBehind = moment.turn(0.1, orbit.start) > 0.5;
      if (isBehind) drawMoon(context, moment);
      drawPlanet(context);
      if (!isBehind) drawMoon(context, moment);
    },
  };
}
