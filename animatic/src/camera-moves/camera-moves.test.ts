import { describe, expect, test } from 'vitest';
import { aspectRatios, canvasSize } from '../contact-sheets/canvas-size.ts';
import { createDice } from '../dice.ts';
import { type CameraPose, type Matrix, matrixAt, nearestDepth, stillCamera } from '../drawing/camera.ts';
import { createCameraPath } from '../drawing/camera-path.ts';
import { createStage } from '../drawing/stage.ts';
import type { Direction } from '../storyboard/storyboard.ts';
import type { CameraMove } from './camera-move.ts';
import { cameraMoves, posesOf } from './camera-moves.ts';

const directions: readonly (Direction | null)[] = [null, 'left', 'right', 'up', 'down', 'in', 'out'];
const phases = Array.from({ length: 17 }, (_, index) => index / 16);
const depths = Array.from({ length: 7 }, (_, index) => (nearestDepth * index) / 6);
const foci = [
  [0.5, 0.5],
  [0.2, 0.2],
  [0.8, 0.85],
] as const;
const single = Object.entries(cameraMoves);
const axes = ['x', 'y', 'zoom', 'dolly', 'roll', 'orbit'] as const;
const names = single.map(([name]) => name);

describe('the camera', () => {
  test.each(aspectRatios)('never looks beyond the stage in %s, for any combination of up to three moves', (ratio) => {
    const stage = createStage(canvasSize(720, ratio), 0.6);
    const corners = [0, stage.width].flatMap((x) => [0, stage.height].map((y) => ({ x, y })));
    let farthest = 0;
    for (const pose of everyPose()) {
      for (const [x, y] of foci) {
        const focus = { x: x * stage.width, y: y * stage.height };
        for (const depth of depths) {
          const seen = inverseOf(matrixAt({ stage, pose, focus }, depth));
          for (const corner of corners) {
            const at = seen(corner);
            farthest = Math.max(farthest, -at.x, -at.y, at.x - stage.width, at.y - stage.height);
          }
        }
      }
    }
    expect(farthest).toBeLessThan(stage.bleed);
    // The moves do use the bleed.
    expect(farthest).toBeGreaterThan(stage.bleed / 2);
  });

  test('never zooms or dollies out beyond the frame that the picture was drawn for', () => {
    for (const { zoom, dolly } of everyPose()) {
      expect(zoom).toBeGreaterThanOrEqual(1);
      expect(dolly).toBeGreaterThanOrEqual(1);
    }
  });

  test.each(single.flatMap(([name, move]) => directions.map((direction) => [name, direction, move] as const)))(
    'goes one way if the prompt names a move, and starts and ends at rest: %s %s',
    (_name, direction, move) => {
      const cameraAt = pathOf([move], direction);
      const poses = phases.map(cameraAt);
      for (const axis of axes) {
        const steps = poses.slice(1).map((pose, index) => pose[axis] - (poses[index]?.[axis] ?? 0));
        const [farthest, nearest] = [Math.max(...steps), Math.min(...steps)];
        expect(farthest * nearest, `${axis} goes one way`).toBeGreaterThanOrEqual(0);
      }
      expect(distance(cameraAt(0), cameraAt(0.005))).toBeLessThan(0.0005);
      expect(distance(cameraAt(1), cameraAt(0.995))).toBeLessThan(0.0005);
      expect(distance(cameraAt(0), cameraAt(1))).toBeGreaterThan(0.02);
    },
  );

  test('comes back to where it began only if the prompt names no move', () => {
    const cameraAt = pathOf([], null);
    expect(cameraAt(1)).toEqual(cameraAt(0));
    expect(distance(cameraAt(0), cameraAt(0.005))).toBeLessThan(0.0005);
    expect(distance(cameraAt(0), cameraAt(0.62))).toBeGreaterThan(0.02);
  });

  test.each(['zoom', 'dolly'] as const)('starts wide on a move in and ends wide on a move out: %s', (name) => {
    expect(pathOf([cameraMoves[name]], 'in')(0)[name]).toBe(1);
    expect(pathOf([cameraMoves[name]], null)(1)[name]).toBeGreaterThan(1.2);
    expect(pathOf([cameraMoves[name]], 'out')(0)[name]).toBeGreaterThan(1.2);
    expect(pathOf([cameraMoves[name]], 'out')(1)[name]).toBeCloseTo(1);
  });

  test.each([
    ['pan', 'left', 'right', 'x'],
    ['dolly', 'left', 'right', 'x'],
    ['tilt', 'up', 'down', 'y'],
    ['orbit', 'left', 'right', 'orbit'],
  ] as const)('follows the direction of the prompt: %s %s and %s', (name, back, forth, axis) => {
    const change = (direction: Direction) => {
      const cameraAt = pathOf([cameraMoves[name]], direction);
      return cameraAt(1)[axis] - cameraAt(0)[axis];
    };
    expect(change(back)).toBeLessThan(-0.1);
    expect(change(forth)).toBeGreaterThan(0.1);
  });

  test('combines several moves, each in its own direction', () => {
    const moves = posesOf({ cameraMoves: ['pan', 'zoom'], directions: { pan: 'left', zoom: 'out' } });
    const cameraAt = createCameraPath(moves, { clipSeconds: 5, dice: createDice('camera') });
    expect(cameraAt(1).x).toBeLessThan(cameraAt(0).x);
    expect(cameraAt(1).zoom).toBeLessThan(cameraAt(0).zoom);
  });

  test('moves less far in a short video', () => {
    const zoomAt = (clipSeconds: number) =>
      createCameraPath(posesOf({ cameraMoves: ['zoom'], directions: {} }), { clipSeconds, dice: createDice('1') })(1)
        .zoom;
    expect(zoomAt(1)).toBeLessThan(zoomAt(2));
    expect(zoomAt(2)).toBeLessThan(zoomAt(3));
    expect(zoomAt(10)).toBe(zoomAt(3));
  });

  test('drifts if the prompt names no move', () => {
    const cameraAt = pathOf([], null);
    expect(cameraAt(0.62)).not.toEqual(cameraAt(0));
    expect(distance(cameraAt(0.62), stillCamera)).toBeLessThan(0.2);
  });
});

function* everyPose(): Generator<CameraPose> {
  for (const one of [...names.keys(), -1]) {
    for (let other = -1; other <= one; other++) {
      for (let third = -1; third <= other; third++) {
        const moves = [...new Set([one, other, third])].flatMap((index) => single[index]?.[1] ?? []);
        for (const direction of directions) yield* phases.map(pathOf(moves, direction));
      }
    }
  }
}

function pathOf(moves: readonly CameraMove[], direction: Direction | null): (phase: number) => CameraPose {
  const poses = moves.map((move) => (progress: number) => move.pose(progress, direction));
  return createCameraPath(poses, { clipSeconds: 5, dice: createDice('camera') });
}

function inverseOf({ a, b, c, d, e, f }: Matrix) {
  const determinant = a * d - b * c;
  return ({ x, y }: { x: number; y: number }) => ({
    x: (d * (x - e) - c * (y - f)) / determinant,
    y: (a * (y - f) - b * (x - e)) / determinant,
  });
}

function distance(one: CameraPose, other: CameraPose): number {
  return Math.hypot(
    one.x - other.x,
    one.y - other.y,
    one.zoom - other.zoom,
    one.dolly - other.dolly,
    one.roll - other.roll,
    one.orbit - other.orbit,
  );
}
