import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill, linearGradient, stroke } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import type { Glade } from './light.ts';
import { addMushroom, addTuft } from './undergrowth.ts';

/** Creates the floor that the subject walks on, with a path or a stream that leads the eye to the light. */
export function createForestFloor(setting: Setting, glade: Glade, { isStream }: { isStream: boolean }): Layer {
  const { stage, palette, storyboard, dice } = setting;
  const depth = 0.86;
  const below = stage.height - stage.horizon;
  const top = stage.horizon + 0.3 * below;
  const scroll = createScroll(setting, depth, 0.3);
  const isWide = scroll.length >= stage.right - stage.left;
  const curve = createNoise(dice, { period: scroll.length, octaves: 3 });
  const topAt = (x: number) => top - 0.02 * curve(x);
  const soil = new Path2D();
  soil.moveTo(-0.01, stage.bottom + 0.4);
  for (let x = -0.01; x <= scroll.length + 0.012; x += 0.012) soil.lineTo(x, topAt(x));
  soil.lineTo(scroll.length + 0.012, stage.bottom + 0.4);
  const growth = new Path2D();
  for (let x = 0; x < scroll.length; x += 0.05 * dice.between(0.4, 1.6)) {
    if (isWide && Math.abs(x - glade.x) < 0.06) continue;
    addTuft(growth, dice, x, topAt(x) + 0.01, 0.03 * dice.between(0.5, 1.2));
  }
  const hasMushrooms = storyboard.season !== 'winter';
  // Fallen leaves in autumn, flowers in spring.
  const hasSpecks = storyboard.season === 'autumn' || storyboard.season === 'spring';
  const caps = new Path2D();
  const stems = new Path2D();
  const tufts = new Path2D();
  const swing = dice.sign();
  const middleAt = (along: number) =>
    glade.x + swing * 0.16 * Math.sin(3.6 * along) * along ** 0.7 + swing * 0.1 * along * along;
  const halfAt = (along: number) => 0.007 + 0.16 * along ** 1.45;
  for (let count = 0; count < 16 * scroll.length; count++) {
    const along = dice.between(0.12, 0.95);
    const x = dice.between(0, scroll.length);
    const y = top + along * (stage.height - top);
    if (isWide && Math.abs(x - middleAt(along)) < 1.25 * halfAt(along)) continue;
    if (hasMushrooms && dice.chance(0.13)) {
      const size = (0.016 + 0.03 * along) * dice.between(0.8, 1.2);
      const siblingSide = dice.sign();
      addMushroom(caps, stems, x, y, size);
      addMushroom(
        caps,
        stems,
        x + siblingSide * size * dice.between(0.75, 0.9),
        y + 0.15 * size,
        size * dice.between(0.5, 0.7),
      );
    } else addTuft(tufts, dice, x, y, (0.02 + 0.04 * along) * dice.between(0.6, 1.2));
  }
  const specks = new Path2D();
  for (let count = 0; hasSpecks && count < 45 * scroll.length; count++) {
    const along = dice.between(0.03, 1) ** 1.3;
    const x = dice.between(0, scroll.length);
    if (isWide && Math.abs(x - middleAt(along)) < halfAt(along)) continue;
    const y = top + along * (stage.height - top);
    const size = (0.0016 + 0.004 * along) * dice.between(0.7, 1.3);
    specks.moveTo(x + size, y);
    specks.ellipse(x, y, size, 0.6 * size, 0, 0, 2 * Math.PI);
  }
  const way = new Path2D();
  const steps = 48;
  // The path goes on beyond the frame, because a camera that looks down sees more of it.
  const end = (stage.bottom - top) / (stage.height - top);
  for (const side of [-1, 1]) {
    for (let step = 0; step <= steps; step++) {
      const along = end * (side < 0 ? step / steps : 1 - step / steps);
      way.lineTo(
        middleAt(along) + side * halfAt(along) * (1 + 0.1 * Math.sin(17 * along + side)),
        topAt(glade.x) + along * (stage.height - top),
      );
    }
  }
  way.closePath();
  const near = mix(palette.land, palette.foliage, 0.35);
  const upper = palette.far(mix(near, palette.glow, palette.isNight ? 0.05 : 0.18), depth);
  const lower = mix(near, palette.ink, 0.62);
  const wayColour = isStream
    ? mix(palette.water, palette.skyLow, 0.7)
    : mix(
        mix(palette.land, palette.lit(colour(0.74, 0.06, 70)), storyboard.season === 'winter' ? 0.2 : 0.75),
        palette.glow,
        0.2,
      );
  const wayFar = mix(wayColour, palette.glow, 0.6);
  const wayNear = isStream
    ? mix(mix(palette.water, palette.skyMiddle, 0.5), palette.ink, 0.3)
    : mix(wayColour, palette.ink, 0.4);
  const tuftColour = css(mix(mix(palette.foliage, near, 0.4), palette.ink, 0.5));
  const capColour = palette.lit(dice.pick([colour(0.58, 0.19, 30), colour(0.68, 0.13, 62), colour(0.86, 0.05, 80)]));
  const speckColour =
    storyboard.season === 'autumn' ? mix(palette.foliage, palette.glow, 0.25) : palette.lit(colour(0.93, 0.06, 350));
  const glints = Array.from({ length: isStream && isWide ? 26 : 0 }, () => ({
    along: dice.between(0.05, 1),
    across: dice.between(-0.7, 0.7),
    offset: dice.between(0, 1),
  }));
  const glintColour = css(mix(palette.sun, palette.glow, 0.4), 0.5);
  return {
    depth,
    draw(context, moment) {
      const gradient = linearGradient(context, [0, top - 0.02, 0, stage.height], { 0: upper, 0.75: lower });
      const wayGradient = linearGradient(context, [0, top, 0, stage.height], { 0: wayFar, 1: wayNear });
      scroll.draw(context, moment, () => {
        fill(context, upper, growth);
        fill(context, gradient, soil);
        if (isWide) fill(context, wayGradient, way);
        if (glints.length > 0) {
          context.lineCap = 'round';
          stroke(context, glintColour, 0.0028, () => {
            for (const { along, across, offset } of glints) {
              // The water flows towards the viewer, and each glint with it.
              const place = along + 0.06 * moment.turn(0.6, offset);
              const length = 0.5 * halfAt(place) * Math.sin(Math.PI * moment.turn(0.6, offset));
              const x = middleAt(place) + across * halfAt(place);
              const y = top + place * (stage.height - top);
              context.moveTo(x - 0.5 * length, y);
              context.lineTo(x + 0.5 * length, y);
            }
          });
        }
        if (hasSpecks) fill(context, speckColour, specks);
        fill(context, tuftColour, tufts);
        fill(context, mix(palette.lit(colour(0.9, 0.03, 85)), palette.ink, 0.15), stems);
        fill(context, mix(capColour, palette.ink, 0.15), caps);
      });
    },
  };
}
