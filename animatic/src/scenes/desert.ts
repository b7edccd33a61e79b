import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import { fraction } from '../drawing/moment.ts';
import { fading, fill, linearGradient, stroke } from '../drawing/paint.ts';
import { createScroll } from '../drawing/scroll.ts';
import type { Setting } from '../drawing/setting.ts';
import { createDunes } from './desert/dunes.ts';
import { addAcacia, addArch, addCactus, addMesa } from './desert/landmarks.ts';
import { airAbove, type Scene } from './scene.ts';

/** Dunes with sharp crests, one side lit and one shaded, in front of rocks in the haze. */
export const desert: Scene = {
  hasSky: true,
  create(setting) {
    const { stage, dice } = setting;
    const below = stage.height - stage.horizon;
    const ground = stage.horizon + 0.66 * below;
    const landmark = dice.pick(['cacti', 'acacia', 'arch', 'none']);
    return {
      layers: [
        createRocks(setting),
        createDunes(setting, { depth: 0.22, top: stage.horizon + 0.05 * below, rise: 0.07, gap: 0.5 }),
        createDunes(setting, { depth: 0.4, top: stage.horizon + 0.17 * below, rise: 0.11, gap: 0.75 }),
        ...(landmark === 'none' ? [] : [createLandmark(setting, landmark, stage.horizon + 0.3 * below)]),
        createDunes(setting, { depth: 0.64, top: stage.horizon + 0.36 * below, rise: 0.13, gap: 1.05 }),
        createDunes(setting, { depth: 0.98, top: ground - 0.035, rise: 0.06, gap: 1.5, hasTracks: true }),
        createDunes(setting, { depth: 1.5, top: stage.height - 0.02, rise: 0.1, gap: 1.9 }),
        createBlownSand(setting, { depth: 1.02, y: ground, thickness: 0.1 }),
      ],
      ground,
      water: null,
      air: airAbove(stage),
    };
  },
};

/** Creates mesas or needles of rock at the end of the plain. */
function createRocks(setting: Setting): Layer {
  const { stage, palette, dice, sun } = setting;
  const depth = 0.12;
  const body = new Path2D();
  const shade = new Path2D();
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const slender = dice.pick([0.4, 1, 1.6]);
  const base = stage.horizon + 0.06;
  const groups = Math.round(2 + stage.width);
  for (let group = 0; group < groups; group++) {
    const x = stage.left + ((stage.right - stage.left) * (group + dice.between(0.15, 0.85))) / groups;
    const tall = dice.between(0.09, 0.2) * (0.8 + 0.2 * stage.height);
    addMesa(body, shade, dice, {
      x,
      y: base,
      height: tall,
      width: tall * slender * dice.between(0.7, 1.4),
      shadedSide: side,
    });
    if (dice.chance(0.6)) {
      addMesa(body, shade, dice, {
        x: x + dice.sign() * tall * (0.6 + slender * 0.7),
        y: base,
        height: tall * 0.45,
        width: tall * 0.5 * slender,
        shadedSide: side,
      });
    }
  }
  const rock = palette.lit(colour(0.56, 0.1, 42));
  const lit = palette.far(
    mix(rock, palette.isNight ? palette.skyMiddle : palette.glow, palette.isNight ? 0.5 : 0.2),
    0.26,
  );
  const dark = palette.far(mix(rock, palette.skyTop, 0.35), 0.3);
  return {
    depth,
    draw(context) {
      fill(context, lit, body);
      fill(context, dark, shade);
      context.fillStyle = linearGradient(context, [0, base - 0.16, 0, base], fading(palette.haze, { 0: 0, 1: 0.75 }));
      context.fillRect(stage.left, base - 0.16, stage.right - stage.left, stage.bottom - base);
    },
  };
}

type LandmarkName = 'cacti' | 'acacia' | 'arch';

/** Creates one landmark among the dunes, on the sun's side of the middle, which shows how large everything is. */
function createLandmark(setting: Setting, name: LandmarkName, y: number): Layer {
  const { stage, palette, dice, sun } = setting;
  const depth = 0.58;
  const scroll = createScroll(setting, depth, 0.8);
  const body = new Path2D();
  const shade = new Path2D();
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const x = (stage.width * (0.5 - side * dice.between(0.1, 0.26))) % scroll.length;
  if (name === 'cacti') {
    for (let count = 0; count < 5; count++) {
      const tall = dice.between(0.13, 0.26);
      addCactus(body, shade, dice, {
        x: x + (count - 1) * 0.24 + dice.between(-0.06, 0.06),
        y: y + 0.06,
        height: tall,
        shadedSide: side,
      });
    }
  } else if (name === 'acacia') addAcacia(body, shade, dice, { x, y: y + 0.05, height: dice.between(0.26, 0.34) });
  else addArch(body, shade, dice, { x, y: y + 0.08, height: dice.between(0.28, 0.38), shadedSide: side });
  const rock = mix(palette.lit(colour(0.58, 0.12, 42)), palette.skyMiddle, palette.isNight ? 0.45 : 0);
  const material = name === 'arch' ? rock : mix(palette.lit(colour(0.42, 0.07, 150)), palette.ink, 0.4);
  const lit = palette.far(mix(material, palette.glow, palette.isNight ? 0.05 : 0.18), depth + 0.15);
  const dark = palette.far(mix(mix(material, palette.skyTop, 0.3), palette.ink, 0.3), depth + 0.2);
  return {
    depth,
    draw(context, moment) {
      scroll.draw(context, moment, () => {
        fill(context, lit, body);
        fill(context, dark, shade);
      });
    },
  };
}

/** Creates streaks of sand that the wind carries low over the ground. */
function createBlownSand(
  { stage, palette, dice, sun }: Setting,
  { depth, y, thickness }: { depth: number; y: number; thickness: number },
): Layer {
  const way = sun.x < stage.width / 2 ? 1 : -1;
  const span = stage.right - stage.left;
  const streaks = Array.from({ length: Math.round(16 * stage.width) }, () => ({
    offset: dice.between(0, 1),
    y: y + dice.between(-2.2, 1) * thickness,
    length: dice.between(0.03, 0.12),
    speed: dice.pick([0.2, 0.4]),
  }));
  const tone = css(mix(palette.sand, palette.glow, 0.5), 0.32);
  return {
    depth,
    draw(context, moment) {
      const path = new Path2D();
      for (const streak of streaks) {
        const along = fraction(moment.turn(streak.speed, streak.offset));
        const x = way > 0 ? stage.left + along * span : stage.right - along * span;
        const lift = 0.012 * moment.wave(0.4, streak.offset * 5);
        path.moveTo(x, streak.y + lift);
        path.quadraticCurveTo(x + 0.5 * streak.length, streak.y + lift - 0.006, x + streak.length, streak.y + lift);
      }
      context.lineCap = 'round';
      stroke(context, tone, 0.0022, path);
    },
  };
}
