import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, mix } from '../drawing/colour.ts';
import type { Moment } from '../drawing/moment.ts';
import { ellipse, fill, stroke, within } from '../drawing/paint.ts';
import { type AnimalState, createAnimal, pawsOf, petHeadAngle } from './quadruped/animal.ts';
import { type CoatTones, gearColour } from './quadruped/coat.ts';
import { forePaw, hindPaw, type LimbBuild } from './quadruped/limb.ts';
import type { Gait } from './quadruped/quadruped.ts';
import type { RestingBuild } from './quadruped/resting.ts';
import { addStrand } from './quadruped/strand.ts';

/** The walk: hind foot and fore foot of one side, then of the other; three feet are on the ground most of the time. */
const walk: Gait = {
  cyclesPerSecond: 1,
  stance: 0.64,
  touchdown: { farHind: 0.5, nearHind: 0, farFore: 0.75, nearFore: 0.25 },
  trunk: { bob: 0.006, rock: 0.01, perCycle: 2, highest: 0.1 },
};

const fore: LimbBuild = {
  ...forePaw,
  root: { x: 0.165, y: -0.285 },
  footX: 0.01,
  lengths: { upper: 0.085, lower: 0.115, cannon: 0.07, toe: 0.03 },
  thickness: [0.068, 0.04, 0.027, 0.022],
  cannon: { lean: -0.05, sway: 0.25, fold: 1 },
  lift: 0.05,
};

const hind: LimbBuild = {
  ...hindPaw,
  root: { x: -0.18, y: -0.3 },
  footX: -0.03,
  lengths: { upper: 0.115, lower: 0.12, cannon: 0.09, toe: 0.03 },
  thickness: [0.088, 0.06, 0.025, 0.022],
  cannon: { lean: 0.25, sway: 0.3, fold: 0.5 },
  lift: 0.04,
};

const trunk = new Path2D(
  'M.14-.4C.06-.395-.02-.37-.09-.375C-.15-.38-.19-.395-.23-.375C-.27-.35-.285-.3-.27-.255C-.24-.21-.16-.215-.1-.205C-.03-.195.04-.185.1-.185C.17-.185.22-.21.245-.25C.27-.3.25-.36.22-.38C.2-.395.17-.4.14-.4Z',
);
const neck = new Path2D('M.1-.39C.16-.42.2-.46.25-.5L.37-.4C.33-.34.29-.27.25-.235C.19-.22.12-.28.1-.39Z');
/** The face is turned a little towards the viewer. */
const face = new Path2D(
  'M.225-.47C.225-.54.28-.575.335-.575C.4-.575.45-.54.452-.475C.455-.44.44-.405.4-.385C.36-.37.31-.37.275-.385C.24-.4.225-.43.225-.47Z',
);
const nearEar = new Path2D('M.235-.5C.222-.56.225-.615.238-.65C.275-.63.31-.59.325-.555Z');
const farEar = new Path2D('M.365-.565C.385-.595.415-.63.447-.648C.455-.61.455-.56.442-.505Z');
const insideOfEars = new Path2D(
  'M.25-.535C.242-.565.243-.595.25-.618C.272-.603.29-.58.3-.56ZM.388-.565C.4-.585.418-.605.435-.615C.44-.59.438-.56.43-.53Z',
);
const nose = new Path2D('M.358-.437L.392-.437L.375-.418Z');
const whiskers = new Path2D(
  'M.335-.415L.235-.44M.335-.408L.23-.408M.335-.4L.24-.378M.415-.415L.5-.44M.415-.408L.505-.408M.415-.4L.495-.378',
);
/** Where each stripe of a tabby begins on the back, and how far it reaches down. */
const stripes = [
  [-0.215, 0.1],
  [-0.14, 0.12],
  [-0.065, 0.13],
  [0.01, 0.12],
  [0.085, 0.1],
] as const;

const sitting: RestingBuild = {
  trunk: new Path2D(
    'M.05-.515C-.03-.48-.19-.32-.23-.16C-.255-.07-.235-.004-.17-.004L.02-.004L.05-.15L.13-.2C.17-.25.205-.32.2-.38C.19-.46.12-.54.05-.515Z',
  ),
  thigh: { x: -0.085, y: -0.115, width: 0.122, height: 0.108 },
  elbow: { x: 0.115, y: -0.23 },
  paw: { x: 0.127, y: -0.03 },
  thickness: [0.052, 0.023],
  headShift: { x: -0.065, y: -0.1 },
};

const lying: RestingBuild = {
  trunk: new Path2D('M-.27-.004C-.31-.09-.25-.19-.14-.2C-.06-.205 0-.195.07-.205C.15-.21.21-.17.22-.1L.21-.004Z'),
  thigh: { x: -0.135, y: -0.085, width: 0.12, height: 0.08 },
  elbow: { x: 0.13, y: -0.05 },
  paw: { x: 0.3, y: -0.026 },
  thickness: [0.045, 0.024],
  headShift: { x: -0.05, y: 0.315 },
};

interface CatTones extends CoatTones {
  muzzle: Colour;
  stripe: Colour;
  pink: Colour;
  eye: Colour;
  isStriped: boolean;
}

/** A walking cat with its tail up. It can also sit, stand or sleep. */
export const cat = createAnimal({
  length: 0.23,
  speed: 0.14,
  going: { gait: walk, fore, hind, trunk },
  resting: { sitting, lying },
  neck,
  neckY: -0.34,
  coats: [
    colour(0.68, 0.12, 58),
    colour(0.56, 0.015, 260),
    colour(0.3, 0.012, 280),
    colour(0.9, 0.015, 85),
    colour(0.55, 0.045, 65),
  ],
  dress(setting, coat, material) {
    const { palette, dice } = setting;
    const isPlain = material.lightness < 0.4 || material.lightness > 0.85;
    const isStriped = dice.chance(0.75) && !isPlain;
    const hasWhite = dice.chance(0.55) && material.lightness < 0.85 && material.lightness > 0.4;
    const white = palette.litSubject(colour(0.94, 0.012, 85));
    const iris = dice.pick([colour(0.8, 0.15, 110), colour(0.78, 0.14, 145), colour(0.8, 0.14, 85)]);
    const tones: CatTones = {
      ...coat,
      muzzle: mix(coat.coat, white, hasWhite ? 1 : 0.2),
      stripe: mix(coat.coat, palette.ink, 0.32),
      pink: palette.litSubject(colour(0.72, 0.09, 15)),
      // The eyes shine at night.
      eye: palette.isNight ? mix(iris, colour(0.95, 0.1, 110), 0.4) : palette.litSubject(iris),
      isStriped,
    };
    const collar = css(gearColour(setting));
    return {
      ...pawsOf(coat, hasWhite ? white : null, palette.ink),
      drawMarkings: isStriped ? (context) => drawStripes(context, tones) : undefined,
      drawTail: (context, moment, state) => drawTail(context, moment, css(coat.coat), state),
      headAngle: (moment, state) => petHeadAngle(moment, state, { nod: 0.02, sway: 0.03 }),
      drawNeckwear: (context) =>
        stroke(context, collar, 0.03, () => {
          context.moveTo(0.19, -0.46);
          context.quadraticCurveTo(0.24, -0.35, 0.36, -0.335);
        }),
      drawHead: (context, moment, { isAsleep }) => drawCatHead(context, moment, tones, isAsleep),
    };
  },
});

/** Draws the tail: up and swaying, or on the ground with a restless tip. */
function drawTail(context: SKRSContext2D, moment: Moment, tone: string, { isResting }: AnimalState): void {
  const sway = moment.wave(0.5, 0.2);
  fill(context, tone, () => {
    addStrand(context, {
      root: isResting ? { x: -0.18, y: -0.035 } : { x: -0.245, y: -0.335 },
      direction: isResting ? Math.PI : 1.3 * Math.PI + 0.1 * moment.wave(0.5),
      length: isResting ? 0.4 : 0.46,
      curl: isResting ? 1.3 + 0.5 * sway : 0.75 + 0.55 * sway,
      halfWidth: (along) => (0.029 - 0.006 * along) * Math.sqrt(Math.max(0, 1 - along ** 14)),
      wave: isResting ? 0.12 : 0.42,
      turn: moment.turn(0.5),
    });
  });
}

function drawStripes(context: SKRSContext2D, { stripe }: CatTones): void {
  fill(context, stripe, () => {
    for (const [x, reach] of stripes) {
      context.moveTo(x - 0.016, -0.42);
      context.quadraticCurveTo(x - 0.012, -0.35, x - 0.03, -0.4 + reach);
      context.quadraticCurveTo(x + 0.012, -0.34, x + 0.018, -0.42);
    }
  });
}

function drawCatHead(context: SKRSContext2D, moment: Moment, tones: CatTones, isAsleep: boolean): void {
  fill(context, tones.far, farEar);
  fill(context, tones.coat, nearEar);
  fill(context, mix(tones.pink, tones.coat, 0.35), insideOfEars);
  fill(context, tones.coat, face);
  within(context, face, () => drawFur(context, tones));
  // It blinks now and then.
  drawEyes(context, tones, isAsleep ? 0.1 : moment.turn(0.4) > 0.95 ? 0.15 : 1);
  fill(context, tones.pink, nose);
  stroke(context, css(tones.rim, 0.7), 0.004, whiskers);
}

/** Draws the light on the head, the stripes of a tabby's forehead, and the muzzle. */
function drawFur(context: SKRSContext2D, tones: CatTones): void {
  fill(context, tones.rim, ellipse(0.335, -0.59, 0.1, 0.028));
  if (tones.isStriped) {
    fill(context, tones.stripe, () => {
      for (const x of [0.33, 0.364, 0.398]) context.roundRect(x - 0.006, -0.59, 0.012, 0.06, 0.006);
    });
  }
  fill(context, tones.muzzle, ellipse(0.375, -0.405, 0.062, 0.042));
}

function drawEyes(context: SKRSContext2D, { eye }: CatTones, open: number): void {
  for (const [tone, width, height] of [
    [css(eye), 0.02, 0.021],
    ['rgba(15, 12, 20, 0.9)', 0.007, 0.019],
  ] as const) {
    fill(context, tone, () => {
      context.ellipse(0.316, -0.475, width, height * open, 0, 0, 2 * Math.PI);
      context.ellipse(0.409, -0.475, 0.9 * width, height * open, 0, 0, 2 * Math.PI);
    });
  }
}
