import { Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import type { Moment } from '../../drawing/moment.ts';
import { addLens, fill, fillRect, stroke, within } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';
import { createBurst } from './burst.ts';
import { foamTone } from './foam-tone.ts';

interface Stack {
  x: number;
  /** The y of the water around it. */
  y: number;
  width: number;
  height: number;
  depth: number;
}

/** Creates rocks that stand in the sea, which washes around them or, where waves break, bursts on them. */
export function createSeaStacks(setting: Setting, { isBreaking }: { isBreaking: boolean }): Layer[] {
  const { stage, dice, sun, storyboard } = setting;
  const below = stage.height - stage.horizon;
  const away = sun.x < stage.width / 2 ? 1 : -1;
  const corner = away === 1 ? stage.width : 0;
  // The group is on the side away from the sun: a large one, and smaller ones further in and nearer.
  const scale = Math.min(1, 0.7 * stage.width) * stage.height ** 0.5;
  const hasTower = storyboard.features.includes('lighthouse') || storyboard.features.includes('castle');
  const places = [
    // It must not hide a lighthouse or a castle on the headland behind it.
    { inward: 0.26, down: 0.2, height: hasTower ? 0.12 : 0.27, width: 0.15 },
    { inward: 0.43, down: 0.26, height: 0.13, width: 0.11 },
    { inward: 0.1, down: 0.3, height: 0.17, width: 0.17 },
    { inward: 0.6, down: 0.36, height: 0.06, width: 0.1 },
    { inward: 0.31, down: 0.4, height: 0.08, width: 0.14 },
  ];
  return places.map(({ inward, down, height, width }, index) => {
    const stack: Stack = {
      x: corner - away * scale * (inward + dice.between(-0.03, 0.03)),
      y: stage.horizon + down * below,
      width: scale * width * dice.between(0.85, 1.2),
      height: scale * height * dice.between(0.85, 1.15),
      depth: 0.52 + 0.5 * down,
    };
    const drawRock = createRock(setting, stack);
    const drawBurst = isBreaking
      ? createBurst(setting, {
          x: stack.x - away * 0.75 * stack.width,
          y: stack.y,
          height: 0.08 * scale + 0.95 * stack.height,
          lean: away,
          // The largest bursts in the first frame, which becomes the thumbnail.
          beat: (0.62 + 0.38 * index) % 1,
        })
      : () => undefined;
    return {
      depth: stack.depth,
      draw(context, moment) {
        drawBurst(context, moment);
        drawRock(context, moment);
      },
    };
  });
}

/** Creates one rock with lit ledges, its reflection and the foam around its foot. */
function createRock(setting: Setting, { x, y, width, height, depth }: Stack) {
  const { palette, dice, sun } = setting;
  const lightSide = sun.x < x ? -1 : 1;
  const steps = 7;
  // Both flanks go up in ledges; the top is broken.
  const flank = (side: number) =>
    Array.from({ length: steps }, (_, index) => {
      const along = index / (steps - 1);
      const taper = 1 - 0.68 * along ** 1.4;
      const ledge = index % 2 === 0 ? 0 : 0.08;
      return {
        x: x + side * width * (taper + ledge + dice.between(-0.05, 0.05)),
        y: y - height * along * dice.between(0.92, 1),
      };
    });
  const lit = flank(lightSide);
  const dark = flank(-lightSide);
  const peak = { x: x + width * dice.between(-0.15, 0.15), y: y - height * 1.06 };
  const body = new Path2D();
  for (const point of [...lit, peak, ...dark.toReversed()]) body.lineTo(point.x, point.y);
  body.lineTo(x - lightSide * width * 1.02, y + 0.008);
  body.lineTo(x + lightSide * width * 1.02, y + 0.008);
  body.closePath();
  const face = new Path2D();
  const edge = lit.map((point, index) => ({
    x: x + (point.x - x) * (index % 2 === 0 ? 0.3 : 0.48) + (index === 0 ? 0 : dice.between(-0.04, 0.04) * width),
    y: point.y,
  }));
  for (const point of [...lit, peak, ...edge.toReversed()]) face.lineTo(point.x, point.y);
  face.closePath();
  const cracks = new Path2D();
  for (let count = 0; count < 4; count++) {
    const crackX = x + width * dice.between(-0.55, 0.55);
    const crackY = y - height * dice.between(0.1, 0.75);
    cracks.moveTo(crackX, crackY);
    cracks.lineTo(crackX + width * dice.between(-0.12, 0.12), crackY + height * dice.between(0.08, 0.2));
  }
  const air = 0.55 + 0.3 * depth;
  const rock = palette.far(mix(palette.rock, palette.ink, 0.5), air);
  const ledges = mix(
    palette.far(mix(palette.rock, palette.ink, 0.12), air),
    palette.glow,
    0.34 * palette.sunStrength * (palette.isDay ? 0.4 : 1),
  );
  const tones = {
    body: css(rock),
    face: css(palette.coverAmount === 1 ? mix(ledges, palette.cover, 0.6) : ledges),
    crack: css(mix(rock, palette.ink, 0.6), 0.7),
    wet: css(mix(rock, palette.ink, 0.55), 0.75),
    mirror: css(mix(rock, palette.water, 0.35), 0.5),
    foam: css(foamTone(palette), 0.85),
  };
  const beat = dice.between(0, 1);
  const wetTop = y - 0.16 * height - 0.006;
  return (context: SKRSContext2D, moment: Moment) => {
    const wash = moment.wave(0.25, beat);
    fill(context, tones.mirror, () => {
      for (let row = 1; row <= 6; row++) {
        const along = row / 6;
        const half = width * (1.05 - 0.7 * along) * (1 + 0.08 * moment.wave(0.4, beat + 0.3 * row));
        addLens(
          context,
          x + 0.01 * moment.wave(0.3, beat + 0.17 * row),
          y + 0.4 * height * along,
          half,
          0.026 * height,
        );
      }
    });
    fill(context, tones.body, body);
    fill(context, tones.face, face);
    stroke(context, tones.crack, 0.0025, cracks);
    within(context, body, () => {
      fillRect(context, tones.wet, x - 2 * width, wetTop - 0.004 * wash, 4 * width, y + 0.02 - wetTop);
    });
    fill(context, tones.foam, () => {
      addLens(context, x + 0.01 * wash, y + 0.004 - 0.004 * wash, width * (1.28 + 0.1 * wash), 0.007 + 0.002 * wash);
      addLens(context, x - 0.015 * wash, y + 0.018, width * (1.5 - 0.12 * wash), 0.0028);
    });
  };
}
