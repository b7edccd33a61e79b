import type { SKRSContext2D } from '@napi-rs/canvas';
import { createBackdrop } from '../drawing/backdrop.ts';
import { css, mix } from '../drawing/colour.ts';
import type { Layer } from '../drawing/layer.ts';
import { addLens, drawAt, fading, fill, fillRect, linearGradient } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import type { SceneDrawing } from './scene.ts';
import { createBubbles } from './under-water/bubbles.ts';
import { type Depths, depthsOf } from './under-water/depths.ts';
import { createFarSchool } from './under-water/far-school.ts';
import { createKelp } from './under-water/kelp.ts';
import { createSeabed } from './under-water/seabed.ts';

/** Creates the sea from below: light through the surface, rocks in blue distance, swaying weed, rising bubbles. */
export function createUnderWater(setting: Setting): SceneDrawing {
  const { stage, dice } = setting;
  const depths = depthsOf(setting);
  const floor = stage.height - 0.13 - 0.07 * (stage.height - 1);
  const backdrop = createBackdrop(setting, (context) => paintWater(context, setting, depths));
  const middle = stage.height * dice.between(0.44, 0.5);
  return {
    layers: [
      // The water is in front of all layers of the sky.
      { depth: 0.12, draw: backdrop },
      createSurface(setting, depths),
      createSeabed(setting, depths, { depth: 0.22, top: floor - 0.2 * stage.height, rise: 0.14, isSand: false }),
      createSeabed(setting, depths, { depth: 0.42, top: floor - 0.09 * stage.height, rise: 0.1, isSand: false }),
      createKelp(setting, depths, { depth: 0.5, floor: floor - 0.03, height: 0.42 * stage.height, density: 1.6 }),
      createFarSchool(setting, depths),
      createRays(setting, depths),
      createSeabed(setting, depths, { depth: 0.85, top: floor, rise: 0.03, isSand: true }),
      createBubbles(setting, { depth: 0.9, floor }),
      createKelp(setting, depths, { depth: 1.3, floor: stage.height + 0.08, height: 0.5 * stage.height, density: 0.8 }),
      createSeabed(setting, depths, { depth: 1.5, top: stage.height + 0.02, rise: 0.07, isSand: false }),
    ],
    ground: middle,
    water: middle,
    air: middle,
    isUnderWater: true,
  };
}

function paintWater(
  context: SKRSContext2D,
  { stage, palette, sun }: Setting,
  { shallow, middle, deep, beam }: Depths,
): void {
  context.fillStyle = linearGradient(context, [0, -0.1, 0, stage.height], {
    0: shallow,
    0.4: mix(shallow, middle, 0.75),
    0.65: middle,
    1: deep,
  });
  context.fillRect(stage.left, stage.top, stage.right - stage.left, stage.bottom - stage.top);
  const reach = 0.75 * stage.height;
  const glow = context.createRadialGradient(sun.x, -0.08, 0, sun.x, -0.08, reach);
  const strength = (palette.isNight ? 0.45 : 0.85) * (0.35 + 0.65 * palette.sunStrength);
  glow.addColorStop(0, css(mix(beam, palette.glow, 0.35), strength));
  glow.addColorStop(0.35, css(beam, 0.4 * strength));
  glow.addColorStop(1, css(shallow, 0));
  fillRect(context, glow, stage.left, stage.top, stage.right - stage.left, stage.bottom - stage.top);
}

/** Creates the surface from below: a moving ceiling of light. */
function createSurface({ stage, palette, dice, sun }: Setting, { beam }: Depths): Layer {
  const glints = Array.from({ length: Math.round(46 * stage.width) }, () => {
    const height = dice.between(0, 1) ** 1.6;
    const x = dice.between(stage.left, stage.right);
    const toSun = Math.max(0.25, 1 - Math.abs(x - sun.x) / 0.9);
    return {
      x,
      y: 0.17 * height - 0.06,
      half: (0.09 - 0.06 * height) * dice.between(0.5, 1.2) * (0.5 + 0.6 * toSun),
      beat: dice.between(0, 1),
      speed: dice.between(0.3, 0.7),
    };
  });
  const tone = css(beam, palette.isNight ? 0.35 : 0.6);
  return {
    depth: 0.14,
    draw(context, moment) {
      fill(context, tone, () => {
        for (const { x, y, half, beat, speed } of glints) {
          const shine = 0.6 + 0.4 * moment.wave(speed, beat);
          addLens(context, x + 0.03 * moment.wave(0.2, beat), y, half * shine, half * 0.1 * shine);
        }
      });
    },
  };
}

/** Creates shafts of light that fan out from the sun, and come and go with the waves above. */
function createRays({ stage, palette, dice, sun }: Setting, { beam }: Depths): Layer {
  const source = { x: sun.x, y: -0.9 };
  const count = 7;
  const rays = Array.from({ length: count }, (_, index) => ({
    angle: ((index + dice.between(0.15, 0.85)) / count - 0.5) * 1.25,
    width: dice.between(0.025, 0.075),
    length: stage.height * dice.between(0.62, 1) + 0.9,
    beat: dice.between(0, 1),
    speed: dice.between(0.2, 0.4),
  }));
  const strength = (palette.isNight ? 0.16 : 0.27) * (0.4 + 0.6 * palette.sunStrength);

  return {
    depth: 0.6,
    draw(context, moment) {
      for (const { angle, width, length, beat, speed } of rays) {
        const shine = 0.55 + 0.45 * moment.wave(speed, beat);
        const turned = angle + 0.02 * moment.wave(0.2, beat);
        drawAt(context, { ...source, angle: -turned }, () => {
          const stops = fading(beam, { 0: strength * shine, 0.45: 0.55 * strength * shine, 1: 0 });
          const ray = linearGradient(context, [0, 0.8, 0, length], stops);
          fill(context, ray, () => {
            context.moveTo(-0.4 * width, 0.45);
            context.lineTo(0.4 * width, 0.45);
            context.lineTo(width * length, length);
            context.lineTo(-width * length, length);
          });
        });
      }
    },
  };
}
