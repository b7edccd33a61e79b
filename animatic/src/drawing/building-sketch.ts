import { Path2D } from '@napi-rs/canvas';
import type { Point } from './paint.ts';

/** The ground of a building, and its height. */
export interface Plot {
  left: number;
  width: number;
  top: number;
  foot: number;
}

/** The parts of several buildings of one tone. Each part is one path, filled once, however many buildings there are. */
export interface BuildingSketch {
  walls: Path2D;
  /** The sides that the sun does not reach. */
  shade: Path2D;
  /** The edges that the sun strikes. */
  edges: Path2D;
  /** Roofs, or the snow on them. */
  roofs: Path2D;
  /** Poles and cables; this path is stroked. */
  lines: Path2D;
  /** Where windows are. */
  facades: Plot[];
  /** Where a red light blinks. */
  beacons: Point[];
  /** Where smoke comes out. */
  flues: Point[];
  /** 1 if the sun is to the right, −1 if it is to the left. */
  sunSide: number;
}

/** Creates an empty sketch. */
export function createSketch(sunSide: number): BuildingSketch {
  return {
    walls: new Path2D(),
    shade: new Path2D(),
    edges: new Path2D(),
    roofs: new Path2D(),
    lines: new Path2D(),
    facades: [],
    beacons: [],
    flues: [],
    sunSide,
  };
}

/** Adds a plain block, shaded on the side away from the sun. */
export function addBlock(sketch: BuildingSketch, { left, width, top, foot }: Plot, shadeShare = 0.36): void {
  sketch.walls.rect(left, top, width, foot - top);
  const shaded = width * shadeShare;
  sketch.shade.rect(sketch.sunSide > 0 ? left : left + width - shaded, top, shaded, foot - top);
  const edge = Math.min(width * 0.09, 0.007);
  sketch.edges.rect(sketch.sunSide > 0 ? left + width - edge : left, top, edge, foot - top);
}

/** Adds a polygon. */
export function addShape(path: Path2D, points: readonly (readonly [x: number, y: number])[]): void {
  for (const [index, [x, y]] of points.entries()) {
    if (index === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
  }
  path.closePath();
}

/** Adds a line from one point to another, to be stroked. */
export function addLine(path: Path2D, fromX: number, fromY: number, toX: number, toY: number): void {
  path.moveTo(fromX, fromY);
  path.lineTo(toX, toY);
}
