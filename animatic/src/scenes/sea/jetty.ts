import { Path2D } from '@napi-rs/canvas';
import { colour, css, mix } from '../../drawing/colour.ts';
import type { Draw, Layer } from '../../drawing/layer.ts';
import { addLens, drawAt, fading, fill, fillRect, radialGradient, stroke } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

const planks = 12;

/** Creates a wooden jetty that leads from the lower edge out into the water, with a lantern at its end. */
export function createJetty({ stage, palette, dice, sun }: Setting): Layer[] {
  const below = stage.height - stage.horizon;
  const side = sun.x < stage.width / 2 ? 1 : -1;
  const near = { x: stage.width / 2 + side * stage.width * dice.between(0.1, 0.18), y: stage.bottom + 0.1, half: 0.44 };
  const end = {
    x: stage.width / 2 + side * stage.width * dice.between(0.0, 0.08),
    y: stage.horizon + 0.4 * below,
    half: 0.05,
  };
  const at = (along: number) => {
    // Perspective: evenly spaced posts come closer together with distance.
    const drawnAlong = along / (along + (1 - along) * 4);
    const back = 1 - drawnAlong;
    return {
      x: end.x * back + near.x * drawnAlong,
      y: end.y * back + near.y * drawnAlong,
      half: end.half * back + near.half * drawnAlong,
    };
  };
  const wood = mix(
    mix(palette.lit(colour(0.66, 0.07, 62)), palette.ink, 0.26),
    palette.cover,
    palette.coverAmount === 1 ? 0.6 : 0,
  );
  const tones = [css(wood), css(mix(wood, palette.skyMiddle, 0.14)), css(mix(wood, palette.ink, 0.14))];
  const dark = css(mix(wood, palette.ink, 0.65));
  const glint = css(mix(palette.skyLow, palette.glow, 0.4), 0.5);
  const boards = Array.from({ length: planks }, (_, index) => {
    const far = at(index / planks);
    const close = at((index + 0.92) / planks);
    const path = new Path2D();
    path.moveTo(far.x - far.half, far.y);
    path.lineTo(far.x + far.half, far.y);
    path.lineTo(close.x + close.half, close.y);
    path.lineTo(close.x - close.half, close.y);
    return { path, tone: dice.pick([0, 1, 2]) };
  });
  const under = new Path2D();
  const last = at(1);
  const first = at(0);
  under.moveTo(first.x - first.half, first.y);
  under.lineTo(first.x + first.half, first.y);
  under.lineTo(last.x + last.half, last.y);
  under.lineTo(last.x - last.half, last.y);
  const posts = new Path2D();
  const feet: { x: number; y: number; width: number }[] = [];
  for (const along of [0.02, 0.34, 0.58]) {
    const place = at(along);
    for (const way of [-1, 1]) {
      const width = place.half * 0.14;
      const x = place.x + way * place.half * 1.02;
      posts.roundRect(x - width, place.y - place.half * 0.75, 2 * width, place.half * 1.5, [
        width * 0.7,
        width * 0.7,
        0,
        0,
      ]);
      feet.push({ x, y: place.y + place.half * 0.72, width: 4 * width });
    }
  }
  const angler = dice.chance(0.6) ? createAngler(palette) : null;
  const lamp = { x: first.x - side * first.half * 1.02, y: first.y - 0.105 };
  return [
    {
      depth: 0.95,
      draw(context, moment) {
        fill(context, dark, posts);
        fill(context, glint, () => {
          for (const { x, y, width } of feet) addLens(context, x, y, width * (1 + 0.2 * moment.wave(0.4, x)), 0.003);
        });
        fill(context, dark, under);
        for (const { path, tone } of boards) fill(context, tones[tone] ?? dark, path);
        if (angler) {
          drawAt(context, { x: first.x + side * 0.012, y: first.y + 0.004 }, () => {
            context.scale(-side * 0.085, 0.085);
            angler(context, moment);
          });
        }
        fillRect(context, dark, lamp.x - 0.004, lamp.y, 0.008, 0.11);
        fillRect(context, dark, lamp.x - 0.012, lamp.y - 0.002, 0.024, 0.005);
        fillRect(context, palette.isDay ? dark : css(palette.lamp), lamp.x - 0.009, lamp.y - 0.024, 0.018, 0.022);
        if (palette.isDay) return;
        const reach = 0.13 * (1 + 0.05 * moment.wave(0.8));
        const stops = fading(palette.lamp, { 0: 0.75, 0.25: 0.25, 1: 0 });
        context.fillStyle = radialGradient(context, [lamp.x, lamp.y - 0.012, 0, lamp.x, lamp.y - 0.012, reach], stops);
        context.fillRect(lamp.x - reach, lamp.y - reach, 2 * reach, 2 * reach);
      },
    },
  ];
}

/** Creates an angler who sits at the end of the jetty, seen from behind. */
function createAngler(palette: Setting['palette']): Draw {
  const back = new Path2D('M-.24 .02C-.3 -.3 -.24 -.56 0 -.58C.24 -.56 .3 -.3 .24 .02Z');
  const head = new Path2D('M-.14 -.7A.14 .15 0 1 0 .14 -.7A.14 .15 0 1 0 -.14 -.7Z');
  const hat = new Path2D('M-.3 -.74Q0 -.68 .3 -.74Q.17 -.8 .15 -.9Q0 -.98 -.15 -.9Q-.17 -.8 -.3 -.74Z');
  const rod = css(mix(palette.ink, palette.rock, 0.3));
  return (context, moment) => {
    const nod = 0.04 * moment.wave(0.4);
    context.lineCap = 'round';
    stroke(context, rod, 0.035, () => {
      context.moveTo(0.15, -0.25);
      context.quadraticCurveTo(0.7, -0.95, 1.25, -1.12 + nod);
    });
    stroke(context, rod, 0.014, () => {
      context.moveTo(1.25, -1.12 + nod);
      context.lineTo(1.27, -0.05);
    });
    fill(context, mix(palette.accent, palette.ink, 0.25), back);
    fill(context, palette.lit(colour(0.62, 0.07, 50)), head);
    fill(context, palette.lit(colour(0.8, 0.09, 85)), hat);
  };
}
