import { colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { addDisc, fill } from '../../drawing/paint.ts';
import type { Setting } from '../../drawing/setting.ts';

/** Creates strings of bubbles from the ground, and specks that drift in the light. */
export function createBubbles(
  { stage, palette, dice, travel }: Setting,
  { depth, floor }: { depth: number; floor: number },
): Layer {
  const bubbles = Array.from({ length: 3 }, () => {
    const x = stage.width * dice.between(0.05, 0.95);
    return Array.from({ length: 9 }, (_, index) => ({
      x: x + dice.between(-0.012, 0.012),
      start: index / 9 + dice.between(0, 0.06),
      radius: dice.between(0.003, 0.011),
      beat: dice.between(0, 1),
    }));
  }).flat();
  const specks = Array.from({ length: Math.round(34 * stage.width) }, () => ({
    x: dice.between(0, 1),
    y: dice.between(0, stage.height),
    radius: dice.between(0.0012, 0.003),
    beat: dice.between(0, 1),
  }));
  const white = mix(palette.lit(colour(0.97, 0.02, 210)), palette.glow, 0.3);
  const skin = css(white, 0.55);
  const inside = css(white, 0.14);
  const dust = css(white, 0.38);
  const span = stage.right - stage.left;
  return {
    depth,
    draw(context, moment) {
      const risen = bubbles.map(({ x, start, radius, beat }) => {
        const rise = moment.turn(0.2, start);
        return {
          x: x + 0.014 * moment.wave(0.6, beat) + 0.5 * travel * (rise - 0.3),
          y: floor - (floor + 0.1) * rise,
          // Bubbles start with no size and grow as the pressure falls.
          radius: radius * Math.min(1, 6 * rise) * (0.7 + 0.5 * rise),
        };
      });
      context.beginPath();
      for (const { x, y, radius } of risen) addDisc(context, x, y, radius);
      context.fillStyle = inside;
      context.fill();
      context.strokeStyle = skin;
      context.lineWidth = 0.0022;
      context.stroke();
      fill(context, skin, () => {
        for (const { x, y, radius } of risen) {
          context.moveTo(x, y - 0.4 * radius);
          context.arc(x - 0.35 * radius, y - 0.4 * radius, 0.25 * radius, 0, 2 * Math.PI);
        }
      });
      fill(context, dust, () => {
        for (const { x, y, radius, beat } of specks) {
          const drift = Math.sign(travel || 1) * moment.turn(Math.abs(travel) / span);
          const at = stage.left + span * ((((x + drift) % 1) + 1) % 1);
          const height = y + 0.03 * moment.wave(0.2, beat);
          addDisc(context, at, height, radius);
        }
      });
    },
  };
}
