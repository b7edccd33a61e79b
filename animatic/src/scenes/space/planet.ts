import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, lighten, mix } from '../../drawing/colour.ts';
import type { Setting } from '../../drawing/setting.ts';

/** A planet or a moon. */
export interface Planet {
  x: number;
  y: number;
  radius: number;
  /** The tilt of its axis, in radians. */
  lean: number;
}

/** The colours of a picture in space. */
export interface SpaceColours {
  /** Space itself. */
  deep: Colour;
  /** The planet, from its shaded to its brightest colour. */
  planet: readonly [Colour, Colour, Colour, Colour];
  /** The air around it, lit from behind. */
  air: Colour;
}

type Draw = (context: SKRSContext2D) => void;

/**
 * Creates a planet in sunlight: its face, drawn within a circle of radius 1, then its night side, then the rim of its
 * air.
 */
export function createPlanet(
  setting: Setting,
  { x, y, radius, lean }: Planet,
  colours: SpaceColours,
  drawFace: Draw,
  drawNight?: Draw,
): Draw {
  const light = lightOn(setting, { x, y });
  const night = mix(colours.deep, colours.air, 0.05);
  const halo = css(colours.air, 0.5);
  const haloGone = css(colours.air, 0);
  return (context) => {
    context.save();
    context.translate(x, y);
    context.scale(radius, radius);
    // The air glows beyond the edge, most on the sun's side.
    const glow = context.createRadialGradient(
      light.x * 0.07,
      light.y * 0.07,
      0.94,
      light.x * 0.07,
      light.y * 0.07,
      1.16,
    );
    glow.addColorStop(0, halo);
    glow.addColorStop(0.35, css(colours.air, 0.17));
    glow.addColorStop(1, haloGone);
    context.fillStyle = glow;
    disc(context, 1.25);
    context.fill();

    context.save();
    disc(context, 1);
    context.clip();
    context.rotate(lean);
    drawFace(context);
    context.rotate(-lean);
    const terminator = context.createRadialGradient(
      light.x * 0.78,
      light.y * 0.78,
      0.2,
      light.x * 0.78,
      light.y * 0.78,
      1.8,
    );
    terminator.addColorStop(0, css(colours.air, 0.16));
    terminator.addColorStop(0.32, css(night, 0.02));
    terminator.addColorStop(0.5, css(night, 0.42));
    terminator.addColorStop(0.62, css(night, 0.86));
    terminator.addColorStop(0.8, css(night, 0.97));
    context.fillStyle = terminator;
    context.fillRect(-1, -1, 2, 2);
    drawNight?.(context);
    const rim = context.createRadialGradient(
      -light.x * 0.09,
      -light.y * 0.09,
      0.92,
      -light.x * 0.09,
      -light.y * 0.09,
      1.09,
    );
    rim.addColorStop(0, haloGone);
    rim.addColorStop(1, css(lighten(colours.air, 0.08), 0.9));
    context.fillStyle = rim;
    context.fillRect(-1, -1, 2, 2);
    context.restore();
    context.restore();
  };
}

/** Returns the direction from a place to the sun, as a vector of length 1. */
export function lightOn({ sun }: Pick<Setting, 'sun'>, { x, y }: { x: number; y: number }): { x: number; y: number } {
  const angle = Math.atan2(sun.y - y, sun.x - x);
  return { x: Math.cos(angle), y: Math.sin(angle) };
}

function disc(context: SKRSContext2D, radius: number): void {
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
}

/** Creates the face of a gas giant: curved bands with wavy borders, and one great storm. */
export function createGiantFace({ dice }: Setting, { planet }: SpaceColours): Draw {
  const count = 11;
  const bend = dice.between(0.08, 0.2) * dice.sign();
  const bands = Array.from({ length: count }, (_, index) => ({
    y: -1 + (2 * (index + dice.between(-0.25, 0.25))) / count,
    tone: css(
      lighten(mix(planet[1], planet[dice.pick([0, 2, 2, 3])], dice.between(0.35, 0.95)), dice.between(-0.03, 0.03)),
    ),
    swell: dice.between(0.008, 0.022),
    pace: dice.pick([3, 4, 5]) * Math.PI,
    offset: dice.between(0, 7),
  }));
  const storm = {
    x: dice.between(-0.3, 0.4),
    y: dice.between(0.15, 0.4) * dice.sign(),
    width: dice.between(0.17, 0.24),
  };
  const ground = css(planet[1]);
  return (context) => {
    context.fillStyle = ground;
    context.fillRect(-1, -1, 2, 2);
    for (const { y, tone, swell, pace, offset } of bands) {
      context.fillStyle = tone;
      context.beginPath();
      context.moveTo(-1, 1);
      for (let x = -1; x <= 1.01; x += 0.04) {
        const round = bend * (Math.sqrt(Math.max(0, 1 - x * x)) - 0.5);
        context.lineTo(x, y + round + swell * Math.sin(pace * x + offset) * Math.sin(3.1 * x + offset * 2));
      }
      context.lineTo(1, 1);
      context.fill();
    }
    const y = storm.y + bend * 0.4;
    for (const [index, size] of [1, 0.74, 0.46].entries()) {
      context.fillStyle = css(planet[[3, 2, 3][index] ?? 2] ?? planet[2], 0.75);
      context.beginPath();
      context.ellipse(storm.x, y, storm.width * size, storm.width * 0.48 * size, 0.1 * index, 0, 2 * Math.PI);
      context.fill();
    }
  };
}
