import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { disc, fill, type Point, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Harmony } from './harmony.ts';

const points = 44;

/** Creates sheets of paper behind each other, each with an opening, and a light behind the last: a paper-cut lamp. */
export function createPaperCut(setting: Setting, harmony: Harmony): { layers: Layer[]; lipAt: (x: number) => number } {
  const { stage, dice } = setting;
  const count = 6;
  const middle = {
    x: stage.width * (0.5 + dice.between(-0.05, 0.05)),
    y: stage.height * dice.between(0.4, 0.46),
  };
  const lobes = Array.from({ length: 4 }, (_, index) => ({
    around: index + 2,
    offset: dice.between(0, 7),
    size: dice.between(0.6, 1) / (index + 2),
  }));
  const twist = dice.sign() * dice.between(0.12, 0.3);
  const sheets = Array.from({ length: count }, (_, index) => {
    const share = index / (count - 1);
    const next = (index + 1) / (count - 1);
    const isLast = index === count - 1;
    return createSheet(setting, harmony, {
      covered: {
        x: isLast ? 2 * stage.width : stage.width * (0.16 + 0.36 * next) * 1.45 + 0.12,
        y: isLast ? 2 * stage.height : stage.height * (0.15 + 0.36 * next) * 1.45 + 0.12,
      },
      depth: 0.2 + 1.2 * share ** 1.3,
      place: 0.84 - 0.84 * share,
      middle,
      radiusX: stage.width * (0.16 + 0.36 * share),
      radiusY: stage.height * (0.15 + 0.36 * share),
      lobes: lobes.map((lobe) => ({
        ...lobe,
        offset: lobe.offset + twist * index * lobe.around + dice.between(-0.3, 0.3),
      })),
      lag: 0.09 * index,
    });
  });
  // Subjects stand on the lower lip of the nearest sheet behind them.
  const lip = sheets.filter(({ layer }) => layer.depth < 1).at(-1);
  return {
    layers: [createLight(setting, harmony, middle), ...sheets.map(({ layer }) => layer)],
    lipAt: (x) => lip?.lipAt(x) ?? stage.horizon,
  };
}

/** Creates a disc of light behind all the sheets, half hidden by them. */
function createLight({ stage, palette, dice }: Setting, harmony: Harmony, middle: Point): Layer {
  const radius = 0.075 + 0.02 * stage.width;
  const x = middle.x + stage.width * 0.06 * dice.sign();
  const tone = mix(lighten(harmony.at(1), 0.04), palette.sun, 0.3);
  return {
    depth: 0.1,
    draw(context, moment) {
      const y = middle.y + 0.02 + 0.015 * moment.wave(0.12);
      for (const [reach, alpha] of [
        [2.2, 0.16],
        [1.55, 0.26],
        [1, 1],
      ] as const)
        fill(context, css(tone, alpha), disc(x, y, radius * reach));
    },
  };
}

interface Sheet {
  depth: number;
  place: number;
  middle: Point;
  radiusX: number;
  radiusY: number;
  lobes: readonly { around: number; offset: number; size: number }[];
  lag: number;
  /** How far from the middle the next sheet leaves this one visible. */
  covered: Point;
}

function createSheet({ stage, palette, sun }: Setting, harmony: Harmony, sheet: Sheet) {
  const { depth, place, middle, radiusX, radiusY, lobes, lag, covered } = sheet;
  const opening = (angle: number, moment: Moment | null) => {
    const bulge = lobes.reduce((sum, { around, offset, size }, index) => {
      const sway = moment ? 0.35 * moment.wave(0.12, lag + index * 0.21) : 0;
      return sum + 0.25 * size * Math.sin(around * angle + offset + sway);
    }, 0);
    const breath = moment ? 0.018 * moment.wave(0.12, lag) : 0;
    // The shape is between an ellipse and a rectangle, so that it fills the corners in every aspect ratio.
    const square = (Math.abs(Math.cos(angle)) ** 2.6 + Math.abs(Math.sin(angle)) ** 2.6) ** (-1 / 2.6);
    const reach = square * (1 + bulge + breath);
    return { x: middle.x + radiusX * reach * Math.cos(angle), y: middle.y + radiusY * reach * Math.sin(angle) };
  };
  const paper = harmony.at(place);
  const shadow = css(mix(harmony.at(Math.max(0, place - 0.25)), palette.ink, 0.4), 0.07);
  const lit = css(lighten(paper, 0.06), 0.8);
  const flat = css(paper);
  // Only the part that the sheet in front leaves visible is painted.
  const outer = {
    left: Math.max(stage.left, middle.x - covered.x),
    top: Math.max(stage.top, middle.y - covered.y),
    width: 2 * covered.x,
    height: 2 * covered.y,
  };
  const away = { x: sun.x < middle.x ? 1 : -1, y: 1 };
  const layer: Layer = {
    depth,
    draw(context, moment) {
      const edge = Array.from({ length: points }, (_, index) => opening((2 * Math.PI * index) / points, moment));
      // There is a gap to the sheet behind, so the shadow is soft, and it falls away from the sun.
      context.fillStyle = shadow;
      for (const fall of [0.008, 0.016, 0.026, 0.038]) {
        context.beginPath();
        trace(context, edge, 0, 0, 1);
        trace(context, edge, away.x * fall * 0.4, away.y * fall * 0.75, 1 - fall * 1.1, middle);
        context.fill('evenodd');
      }
      context.fillStyle = flat;
      context.beginPath();
      context.rect(outer.left, outer.top, outer.width, outer.height);
      trace(context, edge, 0, 0, 1);
      context.fill('evenodd');
      // The cut is a thin bright line, where light grazes the paper.
      stroke(context, lit, 0.003, () => trace(context, edge, away.x * -0.001, -0.0015, 1));
    },
  };

  const lipAt = (x: number) => {
    const sine = Math.min(0.9, Math.max(-0.9, (x - middle.x) / radiusX));
    return opening(Math.PI / 2 - Math.asin(sine), null).y;
  };
  return { layer, lipAt };
}

/** Traces a closed, rounded line through points that are shifted, and shrunk towards a middle. */
function trace(
  context: SKRSContext2D,
  edge: readonly Point[],
  x: number,
  y: number,
  scale: number,
  around: Point = { x: 0, y: 0 },
): void {
  const at = (index: number) => {
    const point = edge[index % edge.length] ?? around;
    return { x: around.x + (point.x - around.x) * scale + x, y: around.y + (point.y - around.y) * scale + y };
  };
  const last = at(edge.length - 1);
  const first = at(0);
  context.moveTo((last.x + first.x) / 2, (last.y + first.y) / 2);
  for (let index = 0; index < edge.length; index++) {
    const point = at(index);
    const next = at(index + 1);
    context.quadraticCurveTo(point.x, point.y, (point.x + next.x) / 2, (point.y + next.y) / 2);
  }
  context.closePath();
}
