import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, colour, mix } from '../drawing/colour.ts';
import type { Paint } from '../drawing/layer.ts';
import type { Moment } from '../drawing/moment.ts';
import { drawAt, fading, fill, fillGlow, linearGradient, type Point, roundRect } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import {
  drawCoat,
  drawCollar,
  drawHead,
  drawPack,
  drawScarfTail,
  type HeadCover,
  type Tones,
} from './person/clothes.ts';
import { drawArm, drawLeg, strokeLine } from './person/limbs.ts';
import { strideOf } from './step.ts';
import type { Subject } from './subject.ts';

const height = 0.25;
const speed = 0.15;
/** Two steps make one cycle. */
const cyclesPerSecond = 0.85;
/** A person on foot in a coat, with a scarf in the wind. The subject's length is the person's height. */
export const person: Subject = {
  place: 'ground',
  length: height,
  speed,
  create(setting) {
    const { palette, dice } = setting;
    const stride = strideOf(setting, cyclesPerSecond, speed / height);
    const coat = palette.lit(
      dice.pick([colour(0.36, 0.06, 262), colour(0.42, 0.06, 165), colour(0.46, 0.07, 50), colour(0.38, 0.07, 330)]),
    );
    const tones: Tones = {
      coat,
      coatShade: mix(coat, palette.ink, 0.45),
      rim: mix(coat, palette.glow, palette.isNight ? 0.3 : 0.5),
      trousers: mix(palette.ink, coat, 0.25),
      boots: mix(palette.ink, palette.lit(colour(0.4, 0.06, 50)), 0.4),
      skin: palette.lit(dice.pick([colour(0.8, 0.06, 55), colour(0.66, 0.08, 55), colour(0.5, 0.07, 50)])),
      hair: mix(
        palette.ink,
        palette.lit(dice.pick([colour(0.35, 0.05, 50), colour(0.62, 0.1, 70), colour(0.25, 0.02, 60)])),
        0.6,
      ),
      scarf: palette.accent,
      scarfShade: mix(palette.accent, palette.ink, 0.3),
      pack: mix(palette.lit(colour(0.55, 0.09, 65)), palette.ink, 0.15),
    };
    const wear: Wear = {
      hasPack: dice.chance(0.6),
      head: dice.pick(['hat', 'hood', 'hair']),
      hasLantern: palette.isNight,
      isLong: dice.chance(0.6),
    };
    const drawShadow = createShadow(setting);
    return (context, moment) => {
      const turn = moment.turn(cyclesPerSecond);
      drawShadow(context);
      drawWalker(context, { turn, stride, tones, wear, moment, lamp: palette.lamp });
    };
  },
};

interface Wear {
  hasPack: boolean;
  head: HeadCover;
  hasLantern: boolean;
  isLong: boolean;
}

interface Walk {
  turn: number;
  stride: number;
  tones: Tones;
  wear: Wear;
  moment: Moment;
  lamp: Colour;
}

/**
 * Draws the walker from far to near: the lantern's light (so that the walker is seen in the dark), the far arm and leg,
 * the pack, the body, the near leg, the head and the scarf, the near arm.
 */
function drawWalker(context: SKRSContext2D, { turn, stride, tones, wear, moment, lamp }: Walk): void {
  const swing = Math.cos(2 * Math.PI * turn);
  // The hips are highest when one leg passes the other, twice per cycle.
  const bob = -0.016 * Math.cos(4 * Math.PI * turn);
  const body = { x: 0.012 * swing, y: bob, angle: 0.05 + 0.012 * Math.sin(4 * Math.PI * turn) };
  context.lineCap = 'round';
  context.lineJoin = 'round';

  if (wear.hasLantern) drawLanternLight(context, lamp, moment);
  drawLeg(context, { turn: turn + 0.5, stride, bob, tone: mix(tones.trousers, tones.boots, 0.5), boots: tones.boots });
  drawAt(context, body, () => {
    drawArm(context, { angle: 0.5 * swing, sleeve: tones.coatShade, hand: tones.skin, width: 0.052 });
  });
  drawLeg(context, { turn, stride, bob, tone: tones.trousers, boots: tones.boots });
  drawAt(context, body, () => {
    drawScarfTail(context, tones, moment);
    if (wear.hasPack) drawPack(context, tones, bob);
    drawCoat(context, tones, { swing, isLong: wear.isLong, moment });
    drawHead(context, tones, wear.head);
    drawCollar(context, tones);
    const angle = wear.hasLantern ? -0.55 + 0.06 * swing : -0.5 * swing;
    const sleeve = mix(tones.coat, tones.rim, 0.18);
    const hand = drawArm(context, { angle, sleeve, hand: tones.skin, width: 0.06 });
    if (wear.hasLantern) drawLantern(context, hand, lamp, moment);
  });
}

/** Draws the lantern's light, roughly around the place where the lantern hangs. */
function drawLanternLight(context: SKRSContext2D, lamp: Colour, moment: Moment): void {
  const flicker = 1 + 0.05 * moment.wave(2.3) + 0.03 * moment.wave(3.7, 0.3);
  const place = { x: 0.23, y: -0.47, radius: 0.95 * flicker, core: 0.01 };
  fillGlow(context, place, fading(lamp, { 0: 0.55, 0.25: 0.2, 1: 0 }));
}

function drawLantern(context: SKRSContext2D, hand: Point, lamp: Colour, moment: Moment): void {
  const x = hand.x + 0.03 + 0.012 * moment.wave(0.85);
  const y = hand.y + 0.1;
  context.strokeStyle = 'rgba(20, 18, 24, 0.9)';
  context.lineWidth = 0.01;
  strokeLine(context, [hand, { x, y: y - 0.04 }]);
  fill(context, lamp, roundRect(x - 0.026, y - 0.035, 0.052, 0.075, 0.014));
  fill(context, 'rgba(20, 18, 24, 0.9)', () => {
    context.roundRect(x - 0.034, y - 0.05, 0.068, 0.018, 0.008);
    context.roundRect(x - 0.034, y + 0.036, 0.068, 0.018, 0.008);
  });
}

/** Creates a long, soft shadow behind the walker, who walks towards the sun's side. */
function createShadow({ palette, storyboard }: Setting): Paint {
  const length = storyboard.time === 'day' ? 0.7 : 1.5;
  const strength = (0.12 + 0.3 * palette.sunStrength) * (palette.isNight ? 0.7 : 1);
  const path = new Path2D();
  path.moveTo(0.12, -0.004);
  path.bezierCurveTo(-0.2 * length, -0.05, -0.7 * length, -0.035, -length, 0.035);
  path.bezierCurveTo(-length - 0.05, 0.07, -0.9 * length, 0.085, -0.8 * length, 0.08);
  path.bezierCurveTo(-0.4 * length, 0.075, 0.02, 0.05, 0.12, 0.02);
  path.closePath();
  return (context) => {
    fill(context, linearGradient(context, [0.1, 0, -length, 0], fading(palette.ink, { 0: strength, 1: 0 })), path);
  };
}
