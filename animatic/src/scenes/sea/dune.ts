import { Path2D } from '@napi-rs/canvas';
import { css, lighten, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { fill, linearGradient } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const sways = 4;

/** Creates a dune in the lower corner, with grass that bends in the wind. */
export function createDune({ stage, palette, dice, sun, storyboard }: Setting): Layer[] {
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const corner = side === 1 ? stage.width : 0;
  const tall = (stage.height - stage.horizon) * dice.between(0.3, 0.42);
  const reach = Math.min(0.9, stage.width * 0.62);
  const topAt = (x: number) => {
    const out = (side * (corner - x)) / reach;
    return (
      stage.height +
      0.02 -
      tall * Math.max(-0.6, Math.cos(Math.min(1.25, Math.max(-0.3, out)) * 2.3)) +
      0.012 * Math.sin(x * 11)
    );
  };
  const ground = new Path2D();
  ground.moveTo(stage.left, stage.bottom + 0.4);
  for (let x = stage.left; x < stage.right + 0.02; x += 0.02) ground.lineTo(x, topAt(x));
  ground.lineTo(stage.right + 0.02, stage.bottom + 0.4);
  const near = storyboard.season === 'winter' ? palette.land : palette.sand;
  const upper = css(mix(near, palette.ink, 0.3));
  const lower = css(mix(near, palette.ink, 0.82));
  const bladeTone = css(mix(mix(palette.foliage, palette.land, 0.4), palette.ink, 0.55));
  const bladeLight = css(mix(lighten(palette.foliage, 0.04), palette.ink, 0.28));
  const groups = Array.from({ length: sways }, () => {
    const path = new Path2D();
    for (let count = 0; count < 26; count++) {
      const x = corner - side * reach * (dice.between(-0.15, 0.85) * dice.between(0.5, 1));
      const y = topAt(x) + dice.between(0, 0.06);
      const height = dice.between(0.05, 0.13) * (1 + 0.3 * (stage.height - 1));
      const lean = side * -height * dice.between(0.1, 0.6);
      path.moveTo(x - 0.003, y);
      path.quadraticCurveTo(x, y - 0.6 * height, x + lean, y - height);
      path.quadraticCurveTo(x + 0.012, y - 0.5 * height, x + 0.004, y);
    }
    return path;
  });
  const wind = storyboard.weather === 'storm' ? 2.4 : 1;
  return [
    {
      depth: 1.35,
      draw(context, moment) {
        context.fillStyle = linearGradient(context, [0, stage.height - tall, 0, stage.height + 0.1], {
          0: upper,
          1: lower,
        });
        context.fill(ground);
        for (const [index, path] of groups.entries()) {
          context.save();
          // Wind shears the grass about the ground: the roots stay, the tips move.
          const shear =
            0.06 * wind * moment.wave(0.35, index / sways) + 0.02 * wind * moment.wave(0.9, (index * 2) / sways);
          const foot = stage.height - 0.5 * tall;
          context.transform(1, 0, -side * shear, 1, side * shear * foot, 0);
          fill(context, index % 2 === 0 ? bladeTone : bladeLight, path);
          context.restore();
        }
      },
    },
  ];
}
