import { type CameraPose, movementAt } from '../drawing/camera.ts';
import type { DepthMap } from './depth-of-image.ts';
import { type Field, placesAlong } from './warp-image.ts';

/** The depths, as the camera counts them, of the farthest and the nearest part of an image: not as far apart as in a scene. */
const farthest = 0.5;
const nearest = 1.15;
/** How many depths are told apart: so many that from one to the next nothing moves by a tenth of a pixel. */
const levels = 1024;

export interface ImageView {
  width: number;
  height: number;
  depth: DepthMap;
  /** What the camera aims at, in pixels. */
  focus: { x: number; y: number };
}

/**
 * The camera before an image: from a pose to where in the image each place of the frame is seen. The same camera as before
 * a drawn scene, read backwards. Whatever the pose, all of the frame sees the image: it comes as much nearer as it takes.
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
    // How far from its middle the image is looked at, as a part of what there is of it.
    let farthestOut = 1;
    let index = 0;
    for (const placeY of placesY) {
      for (const placeX of placesX) {
        const fromX = middleX + cosine * (placeX - middleX) + sine * (placeY - middleY) - focus.x;
        const fromY = middleY - sine * (placeX - middleX) + cosine * (placeY - middleY) - focus.y;
        // What depth is seen here depends on where the camera looks, and that on the depth: a guess, corrected twice.
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

/** At which level of depth a pixel of the image is: between the middles of four cells. */
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
