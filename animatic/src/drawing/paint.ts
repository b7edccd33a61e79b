import type { Path2D, SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from './colour.ts';
import type { Paint } from './layer.ts';

/** A colour, also as `css` returns it, or a gradient. */
export type Tone = Colour | SKRSContext2D['fillStyle'];

type Gradient = ReturnType<SKRSContext2D['createLinearGradient']>;

export interface Point {
  x: number;
  y: number;
}

/** A finished path, or a function that adds one to the context. */
export type Shape = Path2D | Paint;

/** Fills a shape. */
export function fill(context: SKRSContext2D, tone: Tone, shape: Shape): void {
  context.fillStyle = styleOf(tone);
  if (typeof shape === 'function') {
    context.beginPath();
    shape(context);
    context.fill();
  } else context.fill(shape);
}

/** Fills the square around a light that fades away from its middle, or from the edge of its core. */
export function fillGlow(
  context: SKRSContext2D,
  { x, y, radius, core = 0 }: Point & { radius: number; core?: number },
  stops: Stops,
): void {
  const light = radialGradient(context, [x, y, core, x, y, radius], stops);
  fillRect(context, light, x - radius, y - radius, 2 * radius, 2 * radius);
}

/** Strokes a shape. */
export function stroke(context: SKRSContext2D, tone: Tone, width: number, shape: Shape): void {
  context.strokeStyle = styleOf(tone);
  context.lineWidth = width;
  if (typeof shape === 'function') {
    context.beginPath();
    shape(context);
    context.stroke();
  } else context.stroke(shape);
}

/** Fills a rectangle. */
export function fillRect(context: SKRSContext2D, tone: Tone, ...rect: Parameters<SKRSContext2D['fillRect']>): void {
  context.fillStyle = styleOf(tone);
  context.fillRect(...rect);
}

/** Draws what a shape clips. */
export function within(context: SKRSContext2D, shape: Shape, draw: () => void): void {
  context.save();
  if (typeof shape === 'function') {
    context.beginPath();
    shape(context);
    context.clip();
  } else context.clip(shape);
  draw();
  context.restore();
}

/** Draws something at a place: moved, then turned, then scaled. */
export function drawAt(
  context: SKRSContext2D,
  { x, y, angle, scale }: Point & { angle?: number; scale?: number },
  draw: () => void,
): void {
  context.save();
  context.translate(x, y);
  if (angle !== undefined) context.rotate(angle);
  if (scale !== undefined) context.scale(scale, scale);
  draw();
  context.restore();
}

/** Draws something that is turned about a pivot. */
export function drawTurned(context: SKRSContext2D, { x, y }: Point, angle: number, draw: () => void): void {
  drawAt(context, { x, y, angle }, () => {
    context.translate(-x, -y);
    draw();
  });
}

/** A disc, to be filled or stroked. */
export function disc(x: number, y: number, radius: number): Shape {
  return (context) => context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** An ellipse, by half its width and height. */
export function ellipse(x: number, y: number, width: number, height: number, angle = 0): Shape {
  return (context) => context.ellipse(x, y, width, height, angle, 0, 2 * Math.PI);
}

/** A rectangle with round corners. */
export function roundRect(...rect: Parameters<SKRSContext2D['roundRect']>): Shape {
  return (context) => context.roundRect(...rect);
}

/** Adds a whole disc to a path. */
export function addDisc(path: Path2D | SKRSContext2D, x: number, y: number, radius: number): void {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Adds a thin lens, pointed at both ends: the shape of a glint or a ripple seen from the side. */
export function addLens(path: Path2D | SKRSContext2D, x: number, y: number, halfLength: number, half: number): void {
  path.moveTo(x - halfLength, y);
  path.quadraticCurveTo(x, y - 2 * half, x + halfLength, y);
  path.quadraticCurveTo(x, y + 2 * half, x - halfLength, y);
}

/** Returns places relative to a point, in multiples of a width and a height, as the methods of a path take them. */
export function scaled(
  { x, y }: Point,
  width: number,
  height: number,
): (across: number, down: number) => [number, number] {
  return (across, down) => [x + width * across, y + height * down];
}

/** Adds a line through points. */
export function addLineThrough(path: Path2D | SKRSContext2D, points: readonly Point[]): void {
  for (const [index, { x, y }] of points.entries()) {
    if (index === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
  }
}

/** The colours of a gradient by their places, 0..1. */
export type Stops = Readonly<Record<number, Colour | string>>;

export function linearGradient(
  context: SKRSContext2D,
  line: Parameters<SKRSContext2D['createLinearGradient']>,
  stops: Stops,
): Gradient {
  return withStops(context.createLinearGradient(...line), stops);
}

export function radialGradient(
  context: SKRSContext2D,
  circles: Parameters<SKRSContext2D['createRadialGradient']>,
  stops: Stops,
): Gradient {
  return withStops(context.createRadialGradient(...circles), stops);
}

/** Returns the stops of a gradient of one colour, from its opacities. */
export function fading(colour: Colour, opacities: Readonly<Record<number, number>>): Stops {
  return Object.fromEntries(Object.entries(opacities).map(([place, opacity]) => [place, css(colour, opacity)]));
}

function withStops(gradient: Gradient, stops: Stops): Gradient {
  // An object lists its whole numbers first.
  const inOrder = Object.entries(stops).map(([place, tone]) => [Number(place), tone] as const);
  for (const [place, tone] of inOrder.sort(([one], [other]) => one - other))
    gradient.addColorStop(place, typeof tone === 'string' ? tone : css(tone));
  return gradient;
}

function styleOf(tone: Tone): SKRSContext2D['fillStyle'] {
  return typeof tone === 'object' && 'lightness' in tone ? css(tone) : tone;
}
