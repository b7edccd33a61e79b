import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, css, mix } from '../drawing/colour.ts';
import type { Moment } from '../drawing/moment.ts';
import { disc, drawAt, drawTurned, ellipse, fill, stroke, within } from '../drawing/paint.ts';
import { type AnimalState, createAnimal, pawsOf, petHeadAngle } from './quadruped/animal.ts';
import { type CoatTones, gearColour } from './quadruped/coat.ts';
import { forePaw, hindPaw, type LimbBuild } from './quadruped/limb.ts';
import type { Gait } from './quadruped/quadruped.ts';
import type { RestingBuild } from './quadruped/resting.ts';
import { addStrand } from './quadruped/strand.ts';

/** The trot: the feet move in diagonal pairs. */
const trot: Gait = {
  cyclesPerSecond: 1.8,
  stance: 0.46,
  touchdown: { farHind: 0.5, nearHind: 0, farFore: 0.02, nearFore: 0.52 },
  trunk: { bob: 0.012, rock: 0.008, perCycle: 2, highest: 0.48 },
};

const fore: LimbBuild = {
  ...forePaw,
  root: { x: 0.175, y: -0.37 },
  footX: 0,
  lengths: { upper: 0.1, lower: 0.14, cannon: 0.1, toe: 0.035 },
  thickness: [0.075, 0.046, 0.027, 0.021],
  cannon: { lean: -0.05, sway: 0.3, fold: 1.1 },
  lift: 0.075,
};

const hind: LimbBuild = {
  ...hindPaw,
  root: { x: -0.185, y: -0.38 },
  footX: -0.05,
  lengths: { upper: 0.13, lower: 0.14, cannon: 0.12, toe: 0.035 },
  thickness: [0.095, 0.064, 0.024, 0.021],
  cannon: { lean: 0.1, sway: 0.35, fold: 0.6 },
  lift: 0.06,
};

const trunk = new Path2D(
  'M.13-.5C.04-.485-.06-.47-.14-.475C-.2-.478-.26-.465-.28-.42C-.29-.35-.25-.32-.17-.31C-.09-.3-.05-.27.03-.245C.1-.225.17-.225.21-.26C.25-.3.27-.36.26-.41C.24-.47.19-.5.13-.5Z',
);
const neck = new Path2D(
  'M.07-.49C.14-.51.19-.56.235-.63L.35-.59C.34-.54.31-.48.285-.43C.275-.39.27-.36.255-.32C.2-.3.11-.38.07-.49Z',
);
const skull = new Path2D(
  'M.225-.64C.22-.7.27-.74.325-.735C.36-.73.385-.71.4-.68C.44-.672.485-.662.51-.65C.535-.638.535-.605.51-.592C.47-.575.42-.565.37-.56C.31-.55.23-.57.225-.64Z',
);
const mouth = new Path2D('M.35-.6L.5-.6C.485-.57.47-.55.455-.54L.35-.54Z');
const jaw = new Path2D('M.33-.58C.37-.565.41-.558.455-.562C.476-.558.474-.536.455-.53C.41-.52.36-.525.325-.55Z');
const floppyEar = new Path2D(
  'M.268-.712C.23-.7.208-.655.2-.61C.194-.575.205-.54.228-.542C.262-.55.298-.62.318-.69C.305-.716.288-.718.268-.712Z',
);
const prickEar = new Path2D('M.235-.69C.225-.74.235-.79.255-.825C.285-.8.31-.765.32-.72Z');
const bib = new Path2D('M.34-.52C.28-.52.24-.42.24-.3L.34-.26Z');

const sitting: RestingBuild = {
  trunk: new Path2D(
    'M.05-.645C-.03-.59-.17-.39-.22-.2C-.25-.09-.235-.004-.17-.004L.02-.004L.055-.18L.14-.24C.2-.31.235-.4.225-.48C.2-.59.13-.68.05-.645Z',
  ),
  thigh: { x: -0.085, y: -0.125, width: 0.125, height: 0.115 },
  elbow: { x: 0.13, y: -0.28 },
  paw: { x: 0.142, y: -0.03 },
  thickness: [0.06, 0.023],
  headShift: { x: -0.05, y: -0.115 },
};

const lying: RestingBuild = {
  trunk: new Path2D('M-.27-.004C-.32-.1-.26-.21-.15-.22C-.07-.225 0-.215.07-.235C.16-.25.24-.2.25-.11L.23-.004Z'),
  thigh: { x: -0.135, y: -0.095, width: 0.13, height: 0.09 },
  elbow: { x: 0.14, y: -0.055 },
  paw: { x: 0.37, y: -0.026 },
  thickness: [0.05, 0.025],
  headShift: { x: 0, y: 0.47 },
};

interface DogTones extends CoatTones {
  /** Muzzle and chest. */
  under: Colour;
  ear: Colour;
  dark: Colour;
  tongue: Colour;
  collar: Colour;
  tag: Colour;
  isFloppy: boolean;
  hasWhite: boolean;
}

/** A trotting dog with a wagging tail. It can also sit, stand or sleep. */
export const dog = createAnimal({
  length: 0.26,
  speed: 0.31,
  going: { gait: trot, fore, hind, trunk },
  resting: { sitting, lying },
  neck,
  neckY: -0.45,
  coats: [
    colour(0.72, 0.1, 75),
    colour(0.46, 0.07, 52),
    colour(0.3, 0.015, 60),
    colour(0.88, 0.03, 85),
    colour(0.58, 0.11, 52),
  ],
  dress(setting, coat, material) {
    const { palette, dice } = setting;
    const isFloppy = dice.chance(0.65);
    const hasWhite = dice.chance(0.6) && material.lightness < 0.7;
    const white = palette.litSubject(colour(0.93, 0.015, 85));
    const collar = gearColour(setting);
    const tones: DogTones = {
      ...coat,
      under: hasWhite ? white : coat.shade,
      ear: mix(coat.coat, palette.ink, isFloppy ? 0.28 : 0.12),
      dark: mix(palette.ink, coat.coat, 0.1),
      tongue: palette.litSubject(colour(0.68, 0.15, 15)),
      collar,
      tag: mix(collar, palette.ink, 0.3),
      isFloppy,
      hasWhite,
    };
    return {
      ...pawsOf(coat, hasWhite ? white : null, palette.ink),
      drawTail: (context, moment, state) => drawTail(context, moment, css(coat.coat), state),
      headAngle: (moment, state) => petHeadAngle(moment, state, { nod: 0.025, sway: 0.02 }),
      drawBehind(context, moment, { turn }) {
        if (isFloppy) return;
        drawAt(context, { x: 0.045, y: 0.008 }, () => drawEar(context, moment, { tone: tones.far, turn, isFloppy }));
      },
      drawNeckwear: (context) => drawNeckwear(context, tones),
      drawHead: (context, moment, state) => drawDogHead(context, moment, tones, state),
    };
  },
});

/** Draws the tail, which wags sideways: from the side that is a change of its direction and curl. */
function drawTail(context: SKRSContext2D, moment: Moment, tone: string, { isResting, isAsleep }: AnimalState): void {
  const wag = isAsleep ? 0 : Math.sin(2 * Math.PI * moment.turn(3.2));
  fill(context, tone, () => {
    addStrand(context, {
      root: isResting ? { x: -0.19, y: -0.045 } : { x: -0.25, y: -0.435 },
      direction: Math.PI * (isResting ? 1.02 : 1.2) + 0.1 * wag,
      length: 0.3,
      curl: (isResting ? 0.6 : 1.1) + 0.3 * wag,
      halfWidth: (along) => 0.03 * (1 - along ** 2.2) + 0.006,
      wave: 0.06,
      turn: moment.turn(1.6),
    });
  });
}

function drawDogHead(
  context: SKRSContext2D,
  moment: Moment,
  tones: DogTones,
  { turn, isAsleep }: AnimalState & { turn: number },
): void {
  if (!isAsleep) {
    fill(context, tones.dark, mouth);
    fill(context, tones.under, jaw);
    drawTongue(context, css(tones.tongue), moment.wave(1.6));
  }
  fill(context, tones.coat, skull);
  within(context, skull, () => {
    fill(context, tones.under, ellipse(0.47, -0.575, 0.13, tones.hasWhite ? 0.05 : 0.03, -0.05));
    fill(context, tones.rim, ellipse(0.33, -0.75, 0.09, 0.025, 0.12));
  });
  fill(context, tones.dark, () => {
    context.ellipse(0.513, -0.64, 0.024, 0.02, 0.2, 0, 2 * Math.PI);
    context.ellipse(0.372, -0.668, 0.015, isAsleep ? 0.003 : 0.015, 0.1, 0, 2 * Math.PI);
  });
  drawEar(context, moment, { tone: tones.ear, turn, isFloppy: tones.isFloppy });
}

/** Draws an ear: a floppy one swings with the nodding of the head. */
function drawEar(
  context: SKRSContext2D,
  moment: Moment,
  { tone, turn, isFloppy }: { tone: Colour; turn: number; isFloppy: boolean },
): void {
  const angle = isFloppy ? 0.1 * Math.sin(4 * Math.PI * turn) : 0.04 * moment.wave(0.7);
  drawTurned(context, { x: 0.28, y: -0.71 }, angle, () => fill(context, tone, isFloppy ? floppyEar : prickEar));
}

/** Draws a white chest and the collar with its tag. */
function drawNeckwear(context: SKRSContext2D, tones: DogTones): void {
  if (tones.hasWhite) fill(context, tones.under, bib);
  stroke(context, tones.collar, 0.032, () => {
    context.moveTo(0.16, -0.57);
    context.quadraticCurveTo(0.24, -0.495, 0.34, -0.505);
  });
  fill(context, tones.tag, disc(0.292, -0.48, 0.018));
}

function drawTongue(context: SKRSContext2D, tone: string, swing: number): void {
  fill(context, tone, () => {
    context.moveTo(0.415, -0.572);
    context.bezierCurveTo(0.425, -0.53, 0.42 + 0.01 * swing, -0.505, 0.443 + 0.01 * swing, -0.495);
    context.bezierCurveTo(0.468, -0.495, 0.468, -0.53, 0.462, -0.575);
  });
}
