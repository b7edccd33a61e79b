import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw, Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { createNoise } from '../../drawing/noise.ts';
import { addLens, fill, linearGradient, stroke } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates a strip of sand with foam that comes and goes, and on a fair day a parasol. */
export function createBeach(setting: Setting): Layer[] {
  const { stage, palette, sun, storyboard } = setting;
  const depth = 1.15;
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const below = stage.height - stage.horizon;
  // The beach is higher on the side away from the sun, because the land comes in from there.
  const rise = side * 0.2 * below;
  const sand = createSand(setting, { depth, middle: stage.height - 0.36 * below, rise });
  const isFair = storyboard.weather === 'clear' || storyboard.weather === 'clouds';
  const parasol = palette.isDay && isFair ? createParasol(setting) : null;
  const parasolX = side === 1 ? stage.width * 0.82 : stage.width * 0.16;
  return [
    {
      depth,
      draw(context, moment) {
        sand.draw(context, moment);
        if (!parasol) return;
        context.translate(parasolX, sand.lineAt(parasolX) + 0.1);
        context.scale(side * 0.2, 0.2);
        parasol(context, moment);
      },
    },
  ];
}

/** Creates the beach that a subject is on: level, across the whole frame, and passing by. */
export function createStrand(setting: Setting, ground: number): Layer[] {
  const depth = 0.98;
  return [{ depth, draw: createSand(setting, { depth, middle: ground - 0.11, rise: 0 }).draw }];
}

interface Shore {
  depth: number;
  /** The y of the water's edge in the middle of the frame, and how much higher it is at the right than at the left. */
  middle: number;
  rise: number;
}

/** Creates the sand from the water's edge down, and the foam on that edge. */
function createSand(setting: Setting, { depth, middle, rise }: Shore) {
  const { stage, palette, dice, storyboard } = setting;
  const scroll = createScroll(setting, depth, 0.6);
  const curve = createNoise(dice, { period: scroll.length, octaves: 2 });
  const lineAt = (x: number, passed = 0) => middle - rise * (x / stage.width - 0.5) + 0.02 * curve(x - passed);
  const dry = storyboard.season === 'winter' ? palette.land : palette.sand;
  const sand = mix(dry, palette.glow, palette.isDay ? 0.05 : 0.12);
  const tones = {
    foam: css(mix(palette.lit(colour(0.98, 0.008, 220)), palette.skyLow, palette.isNight ? 0.1 : 0.25), 0.9),
    thin: css(mix(palette.lit(colour(0.95, 0.02, 210)), palette.water, 0.35), 0.5),
    wet: css(mix(lighten(sand, -0.12), palette.skyMiddle, 0.28)),
    dry: css(sand),
    low: css(mix(lighten(sand, -0.07), palette.ink, 0.12)),
    grain: css(lighten(sand, -0.09), 0.7),
  };
  const ripples = new Path2D();
  const highest = middle + 0.1 + 0.5 * Math.abs(rise);
  for (let count = 0; count < 28 * scroll.length; count++) {
    const x = dice.between(0, scroll.length);
    addLens(ripples, x, dice.between(highest, middle + 0.5), dice.between(0.015, 0.05), 0.0016);
  }
  const edge = (context: SKRSContext2D, moment: Moment, offset: number, roughness: number) => {
    const passed = scroll.passed(moment);
    context.beginPath();
    context.moveTo(stage.left, stage.bottom + 0.4);
    for (let x = stage.left; x < stage.right + 0.02; x += 0.02) {
      const lap =
        roughness *
        (0.6 * Math.sin(9 * x + 2 * Math.PI * moment.phase) + 0.4 * Math.sin(23 * x - 2 * Math.PI * moment.phase));
      context.lineTo(x, lineAt(x, passed) + offset + lap);
    }
    context.lineTo(stage.right + 0.02, stage.bottom + 0.4);
    context.fill();
  };
  const draw = (context: SKRSContext2D, moment: Moment) => {
    const lap = moment.wave(0.2);
    context.fillStyle = tones.thin;
    edge(context, moment, -0.034 + 0.016 * moment.wave(0.2, 0.12), 0.009);
    context.fillStyle = tones.foam;
    edge(context, moment, -0.008 + 0.02 * lap, 0.006);
    context.fillStyle = tones.wet;
    edge(context, moment, 0.006 + 0.02 * lap, 0.007);
    context.fillStyle = linearGradient(context, [0, middle, 0, stage.bottom], { 0: tones.dry, 1: tones.low });
    edge(context, moment, 0.06, 0);
    context.fillStyle = tones.grain;
    scroll.draw(context, moment, () => context.fill(ripples));
  };
  return { lineAt, draw };
}

/** Creates a parasol that leans into the breeze, with a deckchair in its shade. */
function createParasol({ palette }: Setting): Draw {
  const first = css(palette.accent);
  const shadeOf = css(lighten(palette.accent, -0.08));
  const second = css(palette.lit(colour(0.96, 0.025, 85)));
  const wood = css(palette.lit(colour(0.5, 0.08, 55)));
  const shadow = css(mix(palette.ink, palette.sand, 0.4), 0.32);
  const panels = [
    { path: new Path2D('M0 -1C-.3 -1 -.52 -.82 -.56 -.6Q-.44 -.66 -.32 -.58Z'), tone: first },
    { path: new Path2D('M0 -1C-.15 -.95 -.3 -.78 -.32 -.58Q-.16 -.64 0 -.56Z'), tone: second },
    { path: new Path2D('M0 -1C.13 -.95 .28 -.78 .3 -.58Q.16 -.64 0 -.56Z'), tone: first },
    { path: new Path2D('M0 -1C.3 -1 .52 -.82 .56 -.6Q.44 -.66 .3 -.58Z'), tone: second },
  ];
  const chair = new Path2D('M-.5 -.02L-.18 -.3M-.5 -.24L-.2 -.02');
  const cloth = new Path2D('M-.52 -.25Q-.36 -.06 -.13 -.31L-.17 -.34Q-.36 -.13 -.5 -.29Z');
  return (context, moment) => {
    fill(context, shadow, () => addLens(context, 0.02, 0.02, 0.6, 0.03));
    context.lineCap = 'round';
    stroke(context, wood, 0.03, chair);
    fill(context, shadeOf, cloth);
    context.rotate(0.16 + 0.015 * moment.wave(0.4));
    context.beginPath();
    context.moveTo(0, 0.03);
    context.lineTo(0, -1.05);
    context.stroke();
    for (const { path, tone } of panels) fill(context, tone, path);
  };
}
