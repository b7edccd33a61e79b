import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { addLine } from '../../drawing/building-sketch.ts';
import { colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Draw, Paint } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { drawAt, fill, fillRect, linearGradient, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

interface Railway {
  /** The height of the rails above the ground, in the train's lengths. */
  height: number;
  /** Draws the structure that the train runs on, as it passes below. */
  draw: Draw;
}

interface Options {
  /** The train's length in units, and its speed in units per second. */
  length: number;
  speed: number;
  /** Whether there are masts with an overhead wire; otherwise there is a telegraph line. */
  isElectric: boolean;
}

/** Creates the railway across the whole picture: a viaduct with arches or, on firm ground, a low bank. */
export function createRailway(setting: Setting, { length, speed, isElectric }: Options): Railway {
  const { stage, seconds, storyboard, dice } = setting;
  const isFirm = storyboard.scene === 'mountains' || storyboard.scene === 'forest' || storyboard.scene === 'desert';
  const isBank = dice.chance(0.5) && isFirm;
  // It reaches from the subject, near the middle, to both borders.
  const reach = (0.68 * stage.width + stage.bleed) / length;
  const distance = (speed * seconds) / length;
  const passing = (wanted: number) => {
    const count = Math.round(distance / wanted);
    return count > 0 ? distance / count : wanted;
  };
  const shift = (moment: Moment, spacing: number) =>
    distance >= spacing * 0.99 ? -((moment.phase * distance) % spacing) : 0;
  const drawPoles = createPoles(setting, { reach, spacing: passing(1.24), isElectric });
  const spacing = passing(0.62);
  const carrier = isBank ? createBank(setting, { reach, spacing }) : createViaduct(setting, { reach, spacing });
  return {
    height: carrier.height,
    draw(context, moment) {
      drawAt(context, { x: shift(moment, passing(1.24)), y: -carrier.height }, () => drawPoles(context));
      drawAt(context, { x: shift(moment, spacing), y: 0 }, () => carrier.draw(context));
    },
  };
}

interface Span {
  reach: number;
  /** The length after which it repeats. */
  spacing: number;
}

interface Carrier {
  height: number;
  draw(context: SKRSContext2D): void;
}

function createViaduct({ palette }: Setting, { reach, spacing }: Span): Carrier {
  const height = 0.34;
  const pier = spacing * 0.2;
  const stone = new Path2D();
  const shoulders = new Path2D();
  const insides = new Path2D();
  const blocks = new Path2D();
  for (let x = -reach; x < reach + spacing; x += spacing) {
    const opening = spacing - pier;
    const crown = -height + 0.085;
    const springing = Math.min(crown + opening / 2, -0.04);
    stone.rect(x - 0.001, -height + 0.03, spacing + 0.002, crown + height - 0.028);
    stone.rect(x - pier / 2, -height + 0.05, pier, height + 0.02);
    stone.rect(x - pier * 0.62, -0.01, pier * 1.24, 0.05);
    // The two shoulders beside an arch.
    for (const side of [1, -1]) {
      const edge = side > 0 ? x + pier / 2 : x + spacing - pier / 2;
      const middle = x + spacing / 2;
      shoulders.moveTo(edge, springing);
      shoulders.bezierCurveTo(
        edge,
        crown + (springing - crown) * 0.42,
        middle - side * opening * 0.28,
        crown,
        middle,
        crown,
      );
      shoulders.lineTo(middle, crown - 0.004);
      shoulders.lineTo(edge, crown - 0.004);
      shoulders.closePath();
    }
    // The inside of the arch shows a little, on the side away from the sun.
    insides.rect(x - pier / 2, crown, pier * 0.32, -crown + 0.03);
    blocks.rect(x - pier * 0.1, -height + 0.11, pier * 0.4, 0.012);
    blocks.rect(x + pier * 0.08, -height + 0.2, pier * 0.34, 0.012);
  }
  const tone = palette.lit(colour(0.62, 0.045, 62));
  const cap = css(mix(lighten(tone, 0.08), palette.cover, palette.coverAmount === 1 ? 0.8 : 0));
  return {
    height,
    draw(context) {
      fill(context, linearGradient(context, [0, -height, 0, 0.04], { 0: tone, 1: mix(tone, palette.ink, 0.4) }), stone);
      context.fill(shoulders);
      fill(context, css(palette.ink, 0.2), insides);
      fill(context, css(palette.ink, 0.2), blocks);
      fillRect(context, cap, -reach, -height + 0.006, 2 * reach + spacing, 0.026);
      drawRails(context, reach, spacing, -height, css(mix(palette.ink, palette.skyTop, 0.2)));
    },
  };
}

function createBank({ palette, storyboard, dice }: Setting, { reach, spacing }: Span): Carrier {
  const height = 0.075;
  const isSand = storyboard.scene === 'desert';
  const earth = isSand ? palette.sand : mix(palette.land, palette.foliage, 0.2);
  const gravel = css(mix(palette.lit(colour(0.55, 0.02, 70)), palette.cover, palette.coverAmount === 1 ? 0.5 : 0));
  const tufts = new Path2D();
  const period = Array.from({ length: 5 }, () => ({ x: dice.between(0, spacing), size: dice.between(0.02, 0.045) }));
  for (let from = -reach; from < reach + spacing; from += spacing) {
    for (const { x, size } of period) {
      tufts.moveTo(from + x - size, -height + 0.085);
      tufts.quadraticCurveTo(from + x, -height + 0.085 - size * 1.3, from + x + size, -height + 0.085);
    }
  }
  return {
    height,
    draw(context) {
      context.fillStyle = linearGradient(context, [0, -height, 0, 0.12], {
        0: mix(earth, palette.ink, 0.22),
        0.4: css(mix(earth, palette.ink, 0.3), 0.85),
        1: css(mix(earth, palette.ink, 0.3), 0),
      });
      context.fillRect(-reach, -height + 0.03, 2 * reach + spacing, 0.2);
      fillRect(context, gravel, -reach, -height + 0.008, 2 * reach + spacing, 0.034);
      fill(context, mix(isSand ? earth : palette.foliage, palette.ink, 0.35), tufts);
      drawRails(context, reach, spacing, -height, css(mix(palette.ink, palette.skyTop, 0.2)));
    },
  };
}

function drawRails(context: SKRSContext2D, reach: number, spacing: number, y: number, style: string): void {
  fillRect(context, style, -reach, y, 2 * reach + spacing, 0.008);
  context.beginPath();
  for (let sleeper = -reach; sleeper < reach + spacing; sleeper += spacing / 10)
    context.rect(sleeper, y + 0.008, spacing / 24, 0.008);
  context.fill();
}

function createPoles({ palette }: Setting, { reach, spacing, isElectric }: Span & { isElectric: boolean }): Paint {
  const poles = new Path2D();
  const wires = new Path2D();
  const top = isElectric ? -0.33 : -0.36;
  for (let x = -reach; x < reach + spacing; x += spacing) {
    addLine(poles, x, 0.02, x, top);
    if (isElectric) {
      addLine(poles, x, top + 0.01, x + 0.1, top + 0.04);
      addLine(poles, x, top + 0.07, x + 0.1, top + 0.04);
    } else {
      addLine(poles, x - 0.05, top + 0.03, x + 0.05, top + 0.03);
    }
    const fromX = isElectric ? x + 0.1 : x;
    wires.moveTo(fromX, top + 0.035);
    wires.quadraticCurveTo(fromX + spacing / 2, top + (isElectric ? 0.05 : 0.085), fromX + spacing, top + 0.035);
  }
  const style = css(mix(palette.ink, palette.haze, 0.2));
  return (context) => {
    stroke(context, style, 0.012, poles);
    context.lineWidth = 0.004;
    context.stroke(wires);
  };
}
