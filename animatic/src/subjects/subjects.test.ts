import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { createDice } from '../dice.ts';
import { createMoment } from '../drawing/moment.ts';
import { createPalette } from '../drawing/palette.ts';
import { createStage } from '../drawing/stage.ts';
import type { Storyboard } from '../storyboard/storyboard.ts';
import type { ColourName, SubjectName } from '../storyboard/vocabulary.ts';
import { stepAt } from './step.ts';
import { subjects } from './subjects.ts';

const names = Object.keys(subjects) as SubjectName[]; // the keys of a record of them
const animalsAndRobot = ['cat', 'dog', 'horse', 'robot'] as const;
const side = 200;
const seconds = 4;
const pace = 1;

const storyboard: Storyboard = {
  scene: 'desert',
  time: 'day',
  weather: 'clear',
  season: 'summer',
  subject: null,
  action: null,
  features: [],
  colours: [],
  cameraMoves: [],
  directions: {},
};

describe('every subject', () => {
  test.each(names)('is seen, and has the same pixels for the same seed: %s', (name) => {
    const picture = drawn(name, 0.2);
    expect(drawn(name, 0.2)).toEqual(picture);
    expect(coloured(picture).length).toBeGreaterThan(0.01 * side * side);
  });

  test.each(names)('moves, and returns to its first pose at the end of the video: %s', (name) => {
    expect(drawn(name, 0.13)).not.toEqual(drawn(name, 0));
    // Rounding can change the last bit of a colour.
    expect(changed(drawn(name, 1), drawn(name, 0))).toBeLessThan(10);
  });
});

describe('the animals and the robot', () => {
  test.each(animalsAndRobot)('stand on the ground and are not cut off: %s', (name) => {
    const rows = coloured(drawn(name, 0.2)).map((pixel) => Math.floor(pixel / side));
    // The ground is at three quarters of the picture; the shadow reaches a little below it.
    expect(Math.max(...rows)).toBeGreaterThanOrEqual(0.75 * side - 1);
    expect(Math.max(...rows)).toBeLessThan(0.8 * side);
    expect(Math.min(...rows)).toBeGreaterThan(0);
  });

  test.each(animalsAndRobot)('have the colour that the prompt names: %s', (name) => {
    const brightness = (colour: ColourName) => meanOf(drawn(name, 0.2, { colours: [colour] }));
    expect(brightness('white')).toBeGreaterThan(brightness('grey') + 15);
    expect(brightness('grey')).toBeGreaterThan(brightness('black') + 15);
  });

  test.each([
    ['cat', 'sit'],
    ['dog', 'sit'],
    ['cat', 'sleep'],
    ['dog', 'sleep'],
    ['horse', 'stand'],
    ['robot', 'dance'],
  ] as const)('have another pose if the prompt names an action: a %s that can %s', (name, action) => {
    expect(subjects[name].stillDuring).toContain(action);
    expect(changed(drawn(name, 0.2, { action }), drawn(name, 0.2))).toBeGreaterThan(0.01 * side * side);
  });

  test('do not slide: a foot on the ground moves back exactly as fast as the ground', () => {
    const [stance, stride] = [0.4, 0.9];
    const places = [0, 0.1, 0.2, 0.3].map((turn) => stepAt(turn, stance, stride).x + stride * turn);
    for (const place of places) expect(place).toBeCloseTo((stance * stride) / 2);
    // And in the air it returns to where it lands.
    expect(stepAt(0.999_999, stance, stride).x).toBeCloseTo(stepAt(1, stance, stride).x);
  });
});

/** Draws a subject of half the picture's height on nothing, and returns its pixels. */
function drawn(name: SubjectName, phase: number, changes: Partial<Storyboard> = {}): Uint8ClampedArray {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const wanted = { ...storyboard, subject: name, ...changes };
  const weather = { cover: 0, haze: 0, dim: 0 };
  const draw = subjects[name].create({
    stage: createStage({ width: 16, height: 9 }, 0.6),
    pixelsPerUnit: side,
    palette: createPalette({ ...wanted, hasSubject: true, weather }, createDice('palette')),
    storyboard: wanted,
    dice: createDice('subject'),
    sun: { x: 1, y: 0.2, radius: 0.05 },
    seconds: seconds * pace,
    travel: -subjects[name].speed,
  });
  context.translate(0.5 * side, 0.75 * side);
  context.scale(0.6 * side, 0.6 * side);
  draw(context, createMoment(phase, { seconds, pace }));
  return context.getImageData(0, 0, side, side).data;
}

/** Returns the pixels that are painted. */
function coloured(picture: Uint8ClampedArray): number[] {
  return Array.from({ length: side * side }, (_, pixel) => pixel).filter((pixel) => (picture[4 * pixel + 3] ?? 0) > 20);
}

/** Returns the mean brightness of the painted pixels. */
function meanOf(picture: Uint8ClampedArray): number {
  const values = coloured(picture).flatMap((pixel) => Array.from(picture.subarray(4 * pixel, 4 * pixel + 3)));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns how many pixels differ visibly. */
function changed(one: Uint8ClampedArray, other: Uint8ClampedArray): number {
  return Array.from({ length: side * side }, (_, pixel) => pixel).filter((pixel) =>
    [0, 1, 2, 3].some((part) => Math.abs((one[4 * pixel + part] ?? 0) - (other[4 * pixel + part] ?? 0)) > 12),
  ).length;
}
