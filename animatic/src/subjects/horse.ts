import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, mix } from '../drawing/colour.ts';
import type { Moment } from '../drawing/moment.ts';
import { drawAt, ellipse, fill, within } from '../drawing/paint.ts';
import { createAnimal } from './quadruped/animal.ts';
import type { CoatTones } from './quadruped/coat.ts';
import type { LimbBuild } from './quadruped/limb.ts';
import type { Gait } from './quadruped/quadruped.ts';
import { addStrand } from './quadruped/strand.ts';

/** The gallop: one hind foot, the other, one fore foot, the other; then all four are in the air, gathered. */
const gallop: Gait = {
  cyclesPerSecond: 1.8,
  stance: 0.3,
  touchdown: { farHind: 0, nearHind: 0.13, farFore: 0.33, nearFore: 0.47 },
  trunk: { bob: 0.016, rock: 0.055, perCycle: 1, highest: 0.93 },
};

const fore: LimbBuild = {
  bend: -1,
  root: { x: 0.205, y: -0.45 },
  footX: 0,
  lengths: { upper: 0.12, lower: 0.17, cannon: 0.12, toe: 0.075 },
  thickness: [0.085, 0.048, 0.026, 0.017],
  cannon: { lean: 0, sway: 0.35, fold: 1.25 },
  toe: { lean: 0.55, fold: 1.5 },
  lift: 0.14,
  isHoof: true,
};

const hind: LimbBuild = {
  bend: 1,
  root: { x: -0.2, y: -0.46 },
  footX: -0.04,
  lengths: { upper: 0.15, lower: 0.17, cannon: 0.15, toe: 0.075 },
  thickness: [0.118, 0.082, 0.03, 0.018],
  cannon: { lean: 0.08, sway: 0.4, fold: 0.75 },
  toe: { lean: 0.5, fold: 1.5 },
  lift: 0.1,
  isHoof: true,
};

const trunk = new Path2D(
  'M.14-.59C.07-.575.01-.558-.06-.556C-.13-.556-.17-.582-.22-.582C-.28-.578-.322-.535-.333-.47C-.34-.4-.27-.375-.19-.378C-.1-.37-.06-.34.03-.333C.1-.328.17-.34.225-.375C.28-.4.31-.44.3-.49C.29-.54.22-.59.14-.59Z',
);
const neck = new Path2D(
  'M.1-.58C.19-.6.24-.66.3-.74C.34-.79.39-.83.44-.825L.47-.72C.42-.69.38-.62.35-.56C.33-.51.31-.47.29-.42C.24-.4.16-.46.1-.58Z',
);
const head = new Path2D(
  'M.415-.825C.44-.845.475-.84.5-.81C.53-.785.56-.755.595-.725C.625-.705.645-.68.645-.655C.645-.63.625-.615.6-.62C.575-.625.56-.64.535-.65C.51-.65.49-.66.465-.69C.44-.7.41-.77.415-.825Z',
);
/** The mane's roots, along the crest of the neck. */
const crest = new Path2D(
  'M.46-.835C.39-.845.33-.8.29-.745C.24-.67.18-.605.09-.588C.16-.56.24-.6.29-.66C.34-.73.39-.785.46-.79Z',
);
const ear = new Path2D('M.425-.82C.415-.85.42-.88.44-.905C.455-.88.462-.855.462-.825Z');
const blaze = new Path2D('M.46-.86L.66-.72L.635-.69Q.56-.735.475-.825Z');

interface HorseTones extends CoatTones {
  hair: Colour;
  hairShade: Colour;
  blaze: Colour;
  dark: Colour;
}

/** A galloping horse; mane and tail stream behind it. It can also stand. */
export const horse = createAnimal({
  length: 0.38,
  speed: 0.8,
  going: { gait: gallop, fore, hind, trunk },
  neck,
  neckY: -0.5,
  coats: [
    colour(0.42, 0.075, 50),
    colour(0.5, 0.1, 48),
    colour(0.33, 0.03, 40),
    colour(0.9, 0.015, 85),
    colour(0.76, 0.08, 78),
  ],
  dress({ palette, dice }, coat, material) {
    const isLight = material.lightness > 0.7;
    const hair = palette.litSubject(isLight ? colour(0.95, 0.02, 85) : colour(0.22, 0.02, 40));
    const white = palette.litSubject(colour(0.94, 0.012, 85));
    const hasSocks = dice.chance(0.6);
    const hasBlaze = dice.chance(0.6) && !isLight;
    const tones: HorseTones = {
      ...coat,
      hair: mix(hair, palette.ink, isLight ? 0.1 : 0.4),
      hairShade: mix(hair, palette.ink, isLight ? 0.28 : 0.65),
      blaze: hasBlaze ? white : coat.rim,
      dark: mix(palette.ink, coat.coat, 0.15),
    };
    const hoof = mix(palette.ink, palette.litSubject(colour(0.4, 0.03, 60)), 0.4);
    const sock = hasSocks ? white : isLight ? coat.coat : mix(coat.coat, palette.ink, 0.45);
    return {
      near: { sock, foot: hoof },
      far: { sock: mix(sock, palette.ink, 0.4), foot: mix(hoof, palette.ink, 0.5) },
      drawTail: (context, moment, { isStill }) => drawTail(context, moment, { tones, isStill }),
      // In a gallop the head goes down when the fore feet land, and up in the air.
      headAngle: (moment, { turn, isStill }) =>
        isStill ? 0.1 + 0.05 * moment.wave(0.2) : 0.05 * Math.sin(2 * Math.PI * (turn - 0.2)),
      drawBehind(context, moment, { isStill }) {
        drawAt(context, { x: 0.022, y: 0.004 }, () => fill(context, tones.far, ear));
        drawMane(context, moment, { tones, isStill });
      },
      drawHead: (context) => drawHorseHead(context, tones),
    };
  },
});

function drawHorseHead(context: SKRSContext2D, tones: HorseTones): void {
  fill(context, tones.hair, crest);
  fill(context, tones.coat, head);
  within(context, head, () => {
    fill(context, tones.shade, ellipse(0.5, -0.64, 0.12, 0.05, 0.5));
    fill(context, tones.blaze, blaze);
  });
  fill(context, tones.coat, ear);
  fill(context, tones.dark, () => {
    context.ellipse(0.497, -0.768, 0.011, 0.009, 0.6, 0, 2 * Math.PI);
    context.ellipse(0.622, -0.668, 0.009, 0.006, 0.9, 0, 2 * Math.PI);
  });
}

interface Hair {
  tones: HorseTones;
  isStill: boolean;
}

/** Draws the tail in three strands: it streams behind in a gallop, and hangs and swishes otherwise. */
function drawTail(context: SKRSContext2D, moment: Moment, { tones, isStill }: Hair): void {
  for (const { offset, extent, lower, tone } of [
    { offset: 0.16, extent: 0.4, lower: 0.3, tone: tones.hairShade },
    { offset: 0.08, extent: 0.47, lower: 0.12, tone: tones.hair },
    { offset: 0, extent: 0.42, lower: -0.04, tone: tones.hair },
  ]) {
    fill(context, tone, () => {
      addStrand(context, {
        root: { x: -0.3, y: -0.55 },
        direction: (isStill ? 0.76 : 1.12) * Math.PI - (isStill ? 0.5 : 1) * lower,
        length: isStill ? 0.9 * extent : extent,
        curl: -0.75,
        halfWidth: (along) => 0.012 + 0.034 * Math.sin(Math.PI * along ** 0.75) - 0.012 * along,
        wave: isStill ? 0.16 : 0.26,
        turn: moment.turn(isStill ? 0.4 : gallop.cyclesPerSecond, -offset),
      });
    });
  }
}

/** Draws the mane as locks along the crest of the neck, which stream back, or fall. */
function drawMane(context: SKRSContext2D, moment: Moment, { tones, isStill }: Hair): void {
  const locks = 9;
  for (const [layer, tone] of [tones.hairShade, tones.hair].entries()) {
    fill(context, tone, () => {
      for (let lock = 0; lock < locks; lock++) {
        const along = lock / (locks - 1);
        addStrand(context, {
          root: { x: 0.455 - 0.28 * along, y: -0.805 + 0.205 * along ** 1.3 },
          direction: Math.PI * (1.08 - 0.13 * along) - 0.1 * layer,
          length: (0.2 - 0.07 * Math.abs(along - 0.35)) * (layer === 0 ? 1.12 : 1) * (isStill ? 0.6 : 1),
          curl: isStill ? -0.9 : -0.45,
          halfWidth: (share) => 0.036 * (1 - share) ** 0.7,
          wave: isStill ? 0.1 : 0.3,
          turn: moment.turn(isStill ? 0.4 : gallop.cyclesPerSecond, -0.07 * lock - 0.12 * layer),
        });
      }
    });
  }
}
