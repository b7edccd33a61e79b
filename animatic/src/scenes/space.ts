import { createBackdrop } from '../drawing/backdrop.ts';
import { colour, css, lighten, mix } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import { namedColours } from '../drawing/named-colours.ts';
import { fillGlow } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import type { SubjectName } from '../storyboard/vocabulary.ts';
import type { Scene } from './scene.ts';
import { createAsteroids } from './space/asteroids.ts';
import { createMoonGround } from './space/moon-ground.ts';
import { paintNebula } from './space/nebula.ts';
import type { Planet, SpaceColours } from './space/planet.ts';
import { createPlanetLayer } from './space/planet-layer.ts';
import { createShootingStar, createStarField } from './space/star-field.ts';

/** The subjects that need no ground. */
const flying: readonly (SubjectName | null)[] = [null, 'rocket', 'balloon', 'bird'];

/** Outer space: a nebula, stars at three distances, a planet with its moon, and sometimes ground to stand on. */
export const space: Scene = {
  hasSky: false,
  create(setting) {
    const { stage, dice, storyboard } = setting;
    const randomKind = dice.pick(['ringed', 'ocean', 'giant', 'ringed']);
    const isGround = dice.chance(0.34) || !flying.includes(storyboard.subject);
    const hasAsteroids = dice.chance(0.4) && !isGround;
    const colours = chooseColours(setting);
    const planet = placePlanet(setting, isGround);
    const ground = stage.height * 0.86;
    const layers = [
      createDeep(setting, colours, planet),
      createStarField(setting, { depth: 0.02, density: 170, radius: 0.0027 }),
      createStarField(setting, { depth: 0.08, density: 34, radius: 0.0038 }),
      createStarField(setting, { depth: 0.16, density: 5, radius: 0.006 }),
      createShootingStar(setting),
      createPlanetLayer(setting, planet, colours, randomKind),
    ];
    if (hasAsteroids)
      layers.push(
        createAsteroids(setting, { depth: 1.3, tone: mix(colours.planet[1], colours.deep, 0.15), deep: colours.deep }),
      );
    if (isGround) {
      const tone = mix(lighten(colours.planet[1], 0.04), colours.air, 0.2);
      const dust = (depth: number) => mix(colours.deep, tone, 0.35 + 0.45 * depth);
      for (const bed of [
        { depth: 0.4, top: stage.height * 0.76, rise: 0.07, isRugged: true, craters: 0, tone: dust(0.2) },
        { depth: 0.7, top: stage.height * 0.81, rise: 0.035, craters: 8, tone: dust(0.6) },
        { depth: 0.99, top: ground, rise: 0.022, craters: 7, tone: dust(1) },
      ])
        layers.push(createMoonGround(setting, { ...bed, deep: colours.deep }));
    }
    return { layers, ground: isGround ? ground + 0.02 : stage.height * 0.7, water: null, air: stage.height * 0.44 };
  },
};

/** Chooses the colours. Space is dark at any time of day; the time only tints it. */
function chooseColours({
  palette,
  storyboard,
  dice,
}: Setting): SpaceColours & { nebula: Parameters<typeof paintNebula>[1]['tones'] } {
  const named = storyboard.colours.map((name) => namedColours[name]).filter(({ chroma }) => chroma > 0.05);
  const tint = dice.pick([265, 285, 235, 310]);
  const first = named.at(-1)?.hue ?? mix(colour(0.5, 0.1, tint), { ...palette.skyMiddle, lightness: 0.5 }, 0.35).hue;
  const second = named.length > 1 ? (named[0]?.hue ?? first) : first + dice.sign() * dice.between(45, 80);
  const warmth =
    named.length > 0 && storyboard.subject === null
      ? first + dice.between(-15, 15)
      : dice.pick([40, 62, 20, 205, 170, 320]);
  const next = warmth + dice.sign() * dice.between(18, 40);
  return {
    deep: colour(0.13, 0.045, first),
    nebula: [colour(0.27, 0.11, first), colour(0.47, 0.15, first * 0.35 + second * 0.65), colour(0.8, 0.1, second)],
    planet: [
      colour(0.36, 0.09, next),
      colour(0.58, 0.12, warmth),
      colour(0.72, 0.115, mix(colour(0.5, 0.1, warmth), colour(0.5, 0.1, next), 0.5).hue),
      colour(0.89, 0.06, warmth + 15),
    ],
    air: mix(colour(0.8, 0.11, warmth > 120 && warmth < 300 ? 215 : second), palette.glow, 0.2),
  };
}

/** Places the planet: large and away from the sun or, if there is a subject, low or half outside the frame. */
function placePlanet({ stage, sun, dice, storyboard }: Setting, isGround: boolean): Planet {
  const away = sun.x < stage.width / 2 ? 1 : -1;
  const lean = away * dice.between(0.18, 0.5);
  const portrait = stage.height > stage.width;
  if (isGround) {
    return {
      x: stage.width * (0.5 + away * dice.between(0.1, 0.22)),
      y: stage.height * dice.between(0.36, 0.46),
      radius: dice.between(0.15, 0.23),
      lean,
    };
  }
  if (storyboard.subject) {
    const side = dice.sign();
    return {
      x: stage.width * (0.5 + side * 0.34),
      y: stage.height * dice.between(0.84, 0.95),
      radius: dice.between(0.34, 0.46),
      lean,
    };
  }
  return {
    x: stage.width * (0.5 + away * dice.between(0.04, 0.2)),
    y: stage.height * dice.between(0.48, 0.58),
    radius: dice.between(0.25, 0.34) * (portrait ? 0.95 : 1),
    lean,
  };
}

function createDeep(setting: Setting, colours: ReturnType<typeof chooseColours>, planet: Planet): Layer {
  const { stage, sun, dice, palette } = setting;
  const heart = {
    x: (sun.x + planet.x) / 2 + dice.between(-0.25, 0.25),
    y: stage.height * dice.between(0.28, 0.5),
  };
  const draw = createBackdrop(setting, (context) => {
    paintNebula(context, { stage, dice, deep: colours.deep, tones: colours.nebula, heart });
    const light = mix(palette.sun, colours.nebula[2], 0.2);
    context.globalCompositeOperation = 'screen';
    fillGlow(
      context,
      { x: sun.x, y: sun.y, radius: 0.42 },
      {
        0: light,
        0.035: css(light, 0.95),
        0.06: css(light, 0.5),
        0.3: css(colours.nebula[2], 0.16),
        1: css(colours.nebula[2], 0),
      },
    );
  });
  return { depth: 0, draw };
}
