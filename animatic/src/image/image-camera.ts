import { type CameraPose, movementAt } from '../drawing/camera.ts';
import type { DepthMap } from './depth-of-image.ts';
import { type Field, placesAlong } from './warp-image.ts';

/** The depths of the farthest and the nearest part of an image; they are closer together than in a drawn scene. */
const farthest = 0.5;
const nearest = 1.15;
/** The number of depth levels: enough that one level shifts nothing by more than a tenth of a pixel. */
const levels = 1024;

export interface ImageView {
  width: number;
  height: number;
  depth: DepthMap;
  /** The point that the camera aims at, in pixels. */
  focus: { x: number; y: number };
}

/**
 * Creates the camera of an image: a function from a pose to the point of the image that each place of the frame shows.
 * It is the inverse of the camera of a drawn scene. Whatever the pose, the image fills the frame: the camera moves as
 * close as that takes.
 */
export function createImageCamera({ width, height, depth, focus }: ImageView): (pose: CameraPose) => Field {
  const placesX = placesAlong(width);
  const placesY = placesAlong(height);
  const unit = Math.min(width, height);
  const count = placesX.length * placesY.length;
  const field: Field = {
    columns: placesX.length,
    rows: placesY.length,
    x: new Float64Array(count),
    y: new Float64Array(count),
  };
  const levelAt = createSampler(depth, width, height);
  const middleX = (width - 1) / 2;
  const middleY = (height - 1) / 2;
  const shrinks = new Float64Array(levels);
  const shiftsX = new Float64Array(levels);
  const shiftsY = new Float64Array(levels);
  return (pose) => {
    for (let level = 0; level < levels; level++) {
      const movement = movementAt(pose, farthest + ((nearest - farthest) * level) / (levels - 1));
      shrinks[level] = 1 / movement.scale;
      shiftsX[level] = -unit * movement.x;
      shiftsY[level] = -unit * movement.y;
    }
    const cosine = Math.cos(pose.roll);
    const sine = Math.sin(pose.roll);
    // The farthest point shown, measured from the image's centre; above 1 it is outside the image.
    let farthestOut = 1;
    let index = 0;
    for (const placeY of placesY) {
      for (const placeX of placesX) {
        const fromX = middleX + cosine * (placeX - middleX) + sine * (placeY - middleY) - focus.x;
        const fromY = middleY - sine * (placeX - middleX) + cosine * (placeY - middleY) - focus.y;
        // The depth at this place depends on the point shown, and that point on the depth: guess, and correct twice.
        let x = placeX;
        let y = placeY;
        for (let guess = 0; guess < 3; guess++) {
          const level = levelAt(x, y);
          x = focus.x + fromX * (shrinks[level] ?? 1) + (shiftsX[level] ?? 0);
          y = focus.y + fromY * (shrinks[level] ?? 1) + (shiftsY[level] ?? 0);
        }
        field.x[index] = x;
        field.y[index] = y;
        farthestOut = Math.max(farthestOut, Math.abs(x - middleX) / middleX, Math.abs(y - middleY) / middleY);
        index++;
      }
    }
    for (let place = 0; place < count; place++) {
      field.x[place] = middleX + ((field.x[place] ?? 0) - middleX) / farthestOut;
      field.y[place] = middleY + ((field.y[place] ?? 0) - middleY) / farthestOut;
    }
    return field;
  };
}

/** Creates a function that returns the depth level of a pixel, interpolated between four cells. */
function createSampler({ width, height, values }: DepthMap, imageWidth: number, imageHeight: number) {
  const perX = width / imageWidth;
  const perY = height / imageHeight;
  return (imageX: number, imageY: number): number => {
    const x = Math.min(width - 1.001, Math.max(0, (imageX + 0.5) * perX - 0.5));
    const y = Math.min(height - 1.001, Math.max(0, (imageY + 0.5) * perY - 0.5));
    const index = (y | 0) * width + (x | 0);
    const along = x - (x | 0);
    const upper = (values[index] ?? 0) * (1 - along) + (values[index + 1] ?? 0) * along;
    const lower = (values[index + width] ?? 0) * (1 - along) + (values[index + width + 1] ?? 0) * along;
    return ((upper + (lower - upper) * (y - (y | 0))) * (levels - 1) + 0.5) | 0;
  };
}
