import { colour, css, mix } from '../drawing/colour.ts';
import { drawHeadlight } from '../drawing/headlight.ts';
import { drawAt, fillRect } from '../drawing/paint.ts';
import { drawPuffs } from '../drawing/puffs.ts';
import type { Subject } from './subject.ts';
import { createRailcars } from './train/railcars.ts';
import { createRailway } from './train/railway.ts';
import { createSteamTrain } from './train/steam-train.ts';

const length = 0.5;
const speed = 0.6;

/** A train on its own railway. Its front is in the picture; its end may be far outside. */
export const train: Subject = {
  place: 'ground',
  length,
  speed,
  create(setting) {
    const { palette, dice } = setting;
    const isSteam = dice.chance(0.55);
    const railway = createRailway(setting, { length, speed, isElectric: !isSteam });
    const wagons = isSteam ? createSteamTrain(setting, speed / length) : createRailcars(setting, speed / length);
    const steam = mix(
      palette.haze,
      palette.isNight ? palette.cover : colour(0.98, 0.02, 90),
      palette.isNight ? 0.35 : 0.6,
    );
    const shadow = css(palette.ink, 0.3);
    return (context, moment) => {
      railway.draw(context, moment);
      context.translate(0, -railway.height);
      if (!palette.isDay) drawHeadlight(context, { x: 0.48, y: -0.1, reach: 0.9, ground: 0, lamp: palette.lamp });
      if (isSteam) {
        const plume = { x: 0.39, driftX: -1.7, driftY: -0.26, from: 0.03, count: 26, perSecond: 0.6 };
        drawPuffs(context, moment, {
          ...plume,
          y: -0.25,
          to: 0.15,
          tone: mix(steam, palette.skyTop, 0.32),
          alpha: 0.85,
        });
        drawPuffs(context, moment, { ...plume, x: 0.4, y: -0.268, to: 0.115, tone: steam, alpha: 0.95 });
      }
      fillRect(context, shadow, -3.4, -0.012, 3.88, 0.02);
      let front = 0.5;
      for (const [index, wagon] of wagons.entries()) {
        drawAt(context, { x: front, y: 0 }, () => {
          // The shaking of the engine reaches the wagons one after the other.
          context.rotate(0.0035 * moment.wave(1.3, -0.17 * index));
          context.translate(0, -0.0025 * (1 + moment.wave(1.9, -0.23 * index)));
          wagon.draw(context, moment);
        });
        front -= wagon.length;
      }
    };
  },
};
