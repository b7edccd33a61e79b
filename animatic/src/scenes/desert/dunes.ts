import { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fading, fill, linearGradient, stroke } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addRipples, type Crest, createTracks } from './sand-marks.ts';

interface Dunes {
  depth: number;
  top: number;
  rise: number;
  /** The distance from crest to crest. */
  gap: number;
  hasTracks?: boolean;
}

/** Creates a row of dunes, each long on one side and steep on the other, as wind makes them. */
export function createDunes(setting: Setting, { depth, top, rise, gap, hasTracks = false }: Dunes): Layer {
  const { stage, palette, dice, sun } = setting;
  const scroll = createScroll(setting, depth, 0.55);
  const shadedSide = sun.x < stage.width / 2 ? 1 : -1;
  const crests = placeCrests(dice, { length: scroll.length, gap, top, rise, shadedSide });
  const body = outlineOf(crests, scroll.length, stage.bottom + 0.4);
  const start = (crests.at(-1)?.troughX ?? 0) - scroll.length;
  const foot = top + rise * 1.6 + 0.12;
  const shade = new Path2D();
  const ripples = new Path2D();
  for (const [index, crest] of crests.entries()) {
    const before = crests[index - 1] ?? shifted(crests.at(-1) ?? crest, -scroll.length);
    if (depth <= 1) addShadedFace(shade, dice, { crest, before, shadedSide, foot });
    if (depth > 0.6) addRipples(ripples, dice, crest, shadedSide, rise);
  }
  const sand = mix(palette.sand, palette.lit(colour(0.72, 0.14, 58)), 0.55);
  // At night sand has no colour of its own.
  const cooled = palette.isNight ? mix(sand, palette.skyMiddle, 0.55) : sand;
  const warm = depth > 1 ? mix(cooled, palette.ink, 0.5) : cooled;
  const nearness = depth + 0.14;
  const lit = palette.far(mix(warm, palette.glow, palette.isNight ? 0.2 : 0.12), nearness);
  const low = palette.far(
    mix(warm, palette.isNight ? palette.skyTop : palette.lit(colour(0.5, 0.11, 38)), 0.3),
    nearness,
  );
  const dark = palette.far(
    mix(palette.lit(colour(0.5, 0.1, 32)), palette.skyTop, palette.isNight ? 0.7 : 0.22),
    nearness,
  );
  const tracks = hasTracks && setting.travel === 0 ? createTracks(setting, crests, top) : null;
  return {
    depth,
    draw(context, moment) {
      const gradient = linearGradient(context, [0, top - rise, 0, foot + 0.1], { 0: lit, 1: low });
      const shadow = linearGradient(context, [0, top - rise, 0, foot], fading(dark, { 0: 1, 0.5: 0.75, 1: 0.12 }));
      const drawBand = () => {
        fill(context, gradient, body);
        fill(context, shadow, shade);
        if (depth <= 0.6) return;
        stroke(context, css(dark, 0.22), 0.0025, ripples);
        if (tracks) fill(context, css(dark, 0.8), tracks);
      };
      scroll.draw(context, moment, drawBand, start);
    },
  };
}

function placeCrests(
  dice: Dice,
  {
    length,
    gap,
    top,
    rise,
    shadedSide,
  }: { length: number; gap: number; top: number; rise: number; shadedSide: number },
): Crest[] {
  const count = Math.max(1, Math.round(length / gap));
  const step = length / count;
  const start = dice.between(0, 1);
  return Array.from({ length: count }, (_, index) => {
    const x = step * (index + 0.5 * start + dice.between(0, 0.35));
    // The steep side is the shaded one.
    const steep = dice.between(0.3, 0.42);
    return {
      x,
      y: top - rise * dice.between(0.45, 1),
      troughX: x + step * (shadedSide > 0 ? steep : 1 - steep),
      troughY: top + rise * dice.between(0, 0.25),
    };
  });
}

function shifted(crest: Crest, by: number): Crest {
  return { ...crest, x: crest.x + by, troughX: crest.troughX + by };
}

/** Returns the outline of the dunes and the sand below, over one length of the band up to the last trough. */
function outlineOf(crests: readonly Crest[], length: number, bottom: number): Path2D {
  const path = new Path2D();
  const [first] = crests;
  const last = crests.at(-1);
  if (!first || !last) return path;
  const start = shifted(last, -length);
  path.moveTo(start.troughX, bottom);
  path.lineTo(start.troughX, start.troughY);
  let from = start;
  for (const crest of crests) {
    const along = crest.x - from.troughX;
    path.bezierCurveTo(
      from.troughX + 0.4 * along,
      from.troughY,
      crest.x - 0.3 * along,
      crest.y + 0.12 * (from.troughY - crest.y),
      crest.x,
      crest.y,
    );
    leewardCurve(path, crest);
    from = crest;
  }
  path.lineTo(last.troughX + 0.002, last.troughY);
  path.lineTo(last.troughX + 0.002, bottom);
  path.closePath();
  return path;
}

function leewardCurve(path: Path2D, { x, y, troughX, troughY }: Crest): void {
  const along = troughX - x;
  path.bezierCurveTo(x + 0.3 * along, y + 0.45 * (troughY - y), x + 0.6 * along, troughY, troughX, troughY);
}

/** Adds the shaded face: from the crest along the outline, and back along a ridge that winds down to the viewer. */
function addShadedFace(
  path: Path2D,
  dice: Dice,
  { crest, before, shadedSide, foot }: { crest: Crest; before: Crest; shadedSide: number; foot: number },
): void {
  const { x, y } = crest;
  const drop = foot - y;
  const bend = dice.between(0.3, 0.5) * drop;
  path.moveTo(x, y);
  const trough = shadedSide > 0 ? { x: crest.troughX, y: crest.troughY } : { x: before.troughX, y: before.troughY };
  if (shadedSide > 0) leewardCurve(path, crest);
  else {
    const along = x - trough.x;
    path.bezierCurveTo(
      x - 0.3 * along,
      y + 0.12 * (trough.y - y),
      trough.x + 0.4 * along,
      trough.y,
      trough.x,
      trough.y,
    );
  }
  // Its lower edge runs back to where the ridge ends.
  const end = x - shadedSide * dice.between(0.1, 1.1) * drop;
  const back = end - trough.x;
  path.bezierCurveTo(trough.x + 0.35 * back, trough.y + 0.02 * drop, end - 0.45 * back, foot - 0.12 * drop, end, foot);
  path.bezierCurveTo(
    end + shadedSide * 0.1 * bend,
    foot - 0.35 * drop,
    x + shadedSide * 1.3 * bend,
    y + 0.55 * drop,
    x + shadedSide * 0.35 * bend,
    y + 0.26 * drop,
  );
  path.quadraticCurveTo(x - shadedSide * 0.12 * bend, y + 0.12 * drop, x, y);
  path.closePath();
}
