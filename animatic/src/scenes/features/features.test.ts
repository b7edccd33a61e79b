import { createCanvas } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { aspectRatios, canvasSize } from '../../contact-sheets/canvas-size.ts';
import { createDice } from '../../dice.ts';
import { distanceBetween } from '../../picture-distance.fixture.ts';
import { readPrompt } from '../../storyboard/read-prompt.ts';
import type { PromptReading } from '../../storyboard/storyboard.ts';
import { type FeatureName, featureScenes, type SceneName, vocabulary } from '../../storyboard/vocabulary.ts';
import { createSceneDrawer } from '../../text-to-video.ts';

const features = Object.keys(vocabulary.features) as FeatureName[]; // the keys of the vocabulary are its names
/** Rocks need no drawing of their own in scenes that are made of rock. */
const isOfRock = (feature: FeatureName, scene: SceneName) => feature === 'rocks' && scene !== 'sea';
const places = features.flatMap((feature) =>
  featureScenes[feature].filter((scene) => !isOfRock(feature, scene)).map((scene) => [feature, scene] as const),
);
const spec = { prompt: 'any', seed: 1, width: 160, height: 90, fps: 12, frameCount: 24 };

test.each(places)('a prompt that names it changes the picture, whatever the seed: %s in %s', (feature, scene) => {
  for (const seed of [1, 2, 3, 4]) {
    const reading = readingOf(feature, scene);
    const distance = distanceBetween(pictureOf(reading, seed), pictureOf({ ...reading, features: [] }, seed));
    // A picture with a small feature differs in few places, but there clearly.
    expect(distance.high, `seed ${seed}`).toBeGreaterThan(2);
  }
});

test.each(places)('a video with it loops without a jump: %s in %s', (feature, scene) => {
  const draw = drawerOf(readingOf(feature, scene), 1);
  const pictures = Array.from({ length: spec.frameCount }, (_, index) => draw(index));
  const steps = pictures.map((picture, index) => {
    const next = pictures[(index + 1) % pictures.length];
    return next ? distanceBetween(picture, next).mean : Number.POSITIVE_INFINITY;
  });
  const jump = steps.pop() ?? Number.POSITIVE_INFINITY;
  expect(jump).toBeLessThanOrEqual(1.2 * Math.max(...steps) + 0.05);
});

test.each(aspectRatios)('a castle is seen whole in %s, however high the horizon is', (ratio) => {
  for (const cameraMoves of [[], ['aerial']] as const) {
    const reading: PromptReading = { ...readingOf('castle', 'mountains'), cameraMoves };
    const size = canvasSize(90, ratio);
    const [withCastle, without] = [reading, { ...reading, features: [] }].map((one) => pictureOf(one, 3, size));
    const top = withCastle?.data.subarray(0, 4 * size.width);
    expect(top).toEqual(without?.data.subarray(0, 4 * size.width));
  }
});

function readingOf(feature: FeatureName, scene: SceneName): PromptReading {
  const prompt = `${scene}, summer day, clear sky`;
  return { ...readPrompt(prompt), subject: feature === 'paperBoat' ? 'boat' : null, features: [feature] };
}

function pictureOf(reading: PromptReading, seed: number, size?: { width: number; height: number }) {
  return drawerOf(reading, seed, size)(0);
}

function drawerOf(reading: PromptReading, seed: number, size: { width: number; height: number } = spec) {
  const { width, height } = size;
  const draw = createSceneDrawer({ ...spec, width, height }, reading, (part) => createDice(`${seed} ${part}`));
  const canvas = createCanvas(width, height);
  return (frameIndex: number) => {
    draw(canvas.getContext('2d', { alpha: false }), frameIndex);
    return { width, height, data: Uint8Array.from(canvas.data()) };
  };
}
