import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Point } from './paint.ts';
import type { Stage } from './stage.ts';

/** Where the camera is. Lengths are in units at depth 1. */
export interface CameraPose {
  /** The shift to the right and down; near layers pass faster than far ones. */
  x: number;
  y: number;
  /** The lens: everything grows equally. Never below 1, because the borders would show. */
  zoom: number;
  /** Movement forward: near layers grow, the sky hardly does. Never below 1. */
  dolly: number;
  /** In radians. */
  roll: number;
  /** Movement around the subject: layers behind it move in the opposite direction to layers in front of it. */
  orbit: number;
}

export const stillCamera: CameraPose = { x: 0, y: 0, zoom: 1, dolly: 1, roll: 0, orbit: 0 };

/** The depth of the nearest possible layer. */
export const nearestDepth = 1.8;

/** How much the sky itself moves, relative to a layer at depth 1. */
const skyShare = 0.18;

/** Returns what the camera does to a layer at one depth: it is moved aside, then scaled about the focus. */
export function movementAt(
  { x, y, zoom, dolly, orbit }: CameraPose,
  depth: number,
): { scale: number; x: number; y: number } {
  const share = skyShare + (1 - skyShare) * depth;
  return { scale: zoom * dolly ** depth, x: orbit * (1 - depth) - x * share, y: -y * share };
}

/** A picture seen by a camera. */
export interface View {
  stage: Pick<Stage, 'width' | 'height'>;
  pose: CameraPose;
  /** The place that the camera aims at; it stays in place when the camera moves forward. */
  focus: Point;
}

/** Maps units at a depth to units of the frame: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export interface Matrix {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

/** Returns the mapping of a depth to the frame. */
export function matrixAt({ stage, pose, focus }: View, depth: number): Matrix {
  const { scale, x, y } = movementAt(pose, depth);
  const cosine = Math.cos(pose.roll);
  const sine = Math.sin(pose.roll);
  // Where the origin is mapped to, relative to the middle of the frame, before the camera rolls about that middle.
  const fromMiddleX = focus.x + scale * (x - focus.x) - stage.width / 2;
  const fromMiddleY = focus.y + scale * (y - focus.y) - stage.height / 2;
  return {
    a: scale * cosine,
    b: scale * sine,
    c: -scale * sine,
    d: scale * cosine,
    e: cosine * fromMiddleX - sine * fromMiddleY + stage.width / 2,
    f: sine * fromMiddleX + cosine * fromMiddleY + stage.height / 2,
  };
}

/** Sets the context up for a layer, so that units at its depth become pixels. */
export function applyCamera(
  context: SKRSContext2D,
  { pixelsPerUnit, ...view }: View & { pixelsPerUnit: number },
  depth: number,
): void {
  const { a, b, c, d, e, f } = matrixAt(view, depth);
  context.scale(pixelsPerUnit, pixelsPerUnit);
  context.transform(a, b, c, d, e, f);
}
