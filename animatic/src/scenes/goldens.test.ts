import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas';
import { afterEach, describe, expect, test } from 'vitest';
import { drawGolden, goldenPath, goldenScenes, goldenSize } from '../contact-sheets/golden-pictures.ts';
import { distanceBetween, type Picture } from '../picture-distance.fixture.ts';
import { readPrompt } from '../storyboard/read-prompt.ts';
import { scenes } from './scenes.ts';

/** Above the effect of noise and of a shift by a pixel, and below that of another seed, as tests below check. */
const limits = { mean: 1.2, high: 3.2 };
const howToAccept = 'if the new look is intended, accept it with: npm run contact-sheets -- --goldens';
const actualFolder = join(tmpdir(), 'kinora-goldens');

test.each(goldenScenes)('the scene %s looks like its golden picture', async (scene) => {
  expect(readPrompt(`${scene} at dusk`).scene, 'the name of a scene must be one of its words in the vocabulary').toBe(
    scene,
  );
  const path = goldenPath(scene);
  if (!existsSync(path)) throw new Error(`${scene} has no golden picture; ${howToAccept}`);
  const actual = drawGolden(scene);
  const distance = distanceBetween(pictureOf(actual), await readPicture(path));
  if (isAlike(distance)) return;
  mkdirSync(actualFolder, { recursive: true });
  const actualPath = join(actualFolder, `${scene}.png`);
  writeFileSync(actualPath, actual.toBuffer('image/png'));
  throw new Error(
    `${scene} looks different (mean ${distance.mean.toFixed(2)} of at most ${limits.mean}, high ${distance.high.toFixed(2)} ` +
      `of at most ${limits.high}): compare ${path} with ${actualPath}; ${howToAccept}`,
  );
});

test('every golden picture belongs to a scene', () => {
  const pictures = readdirSync(dirname(goldenPath('any'))).map((name) => basename(name, '.png'));
  expect(goldenScenes).toEqual(expect.arrayContaining(pictures));
});

describe('the comparison with golden pictures', () => {
  const all = { ...scenes };
  afterEach(() => void Object.assign(scenes, all));

  test.each(goldenScenes)('accepts the scene %s with noise or shifted by a pixel', (scene) => {
    const picture = pictureOf(drawGolden(scene));
    for (const doctored of [withNoise(picture), shifted(picture, 1, 0), shifted(picture, 0, 1)]) {
      expect(distanceBetween(picture, doctored)).toSatisfy(isAlike);
    }
  });

  test.each(goldenScenes)('rejects the scene %s with another seed or at another time of day', (scene) => {
    const picture = pictureOf(drawGolden(scene));
    const others = [
      { seed: 1 },
      { seed: 2 },
      { prompt: `${scene} at night, clear sky` },
      { prompt: `${scene} by day` },
    ];
    const distances = others.map((changes) => distanceBetween(picture, pictureOf(drawGolden(scene, changes))));
    expect(distances.filter(isAlike)).toEqual([]);
  });

  test('notices most missing layers', () => {
    const picture = pictureOf(drawGolden('mountains'));
    const without = (missing: number) => {
      let layerCount = 0;
      scenes.mountains = {
        ...all.mountains,
        create(setting) {
          const drawing = all.mountains.create(setting);
          layerCount = drawing.layers.length;
          return { ...drawing, layers: drawing.layers.filter((_, index) => index !== missing) };
        },
      };
      const distance = distanceBetween(picture, pictureOf(drawGolden('mountains')));
      return { layerCount, distance };
    };
    const whole = without(-1);
    expect(whole.distance).toEqual({ mean: 0, high: 0 });
    const noticed = Array.from({ length: whole.layerCount }, (_, index) => without(index)).filter(
      ({ distance }) => !isAlike(distance),
    );
    expect(noticed.length).toBeGreaterThanOrEqual(whole.layerCount / 2);
  });
});

function isAlike({ mean, high }: { mean: number; high: number }): boolean {
  return mean <= limits.mean && high <= limits.high;
}

function pictureOf(canvas: Canvas): Picture {
  return { width: canvas.width, height: canvas.height, data: Uint8Array.from(canvas.data()) };
}

async function readPicture(path: string): Promise<Picture> {
  const canvas = createCanvas(goldenSize.width, goldenSize.height);
  canvas.getContext('2d').drawImage(await loadImage(readFileSync(path)), 0, 0);
  return pictureOf(canvas);
}

/** Changes every byte by up to three levels, in an irregular pattern. */
function withNoise(picture: Picture): Picture {
  const noiseAt = (index: number) => ((index * 7919 + ((index * index) % 101)) % 7) - 3;
  const data = Uint8ClampedArray.from(picture.data, (value, index) => value + noiseAt(index));
  return { ...picture, data: Uint8Array.from(data) };
}

function shifted({ width, height, data }: Picture, right: number, down: number): Picture {
  const moved = data.map((_, index) => {
    const pixel = Math.floor(index / 4);
    const x = Math.min(width - 1, (pixel % width) + right);
    const y = Math.min(height - 1, Math.floor(pixel / width) + down);
    return data[4 * (y * width + x) + (index % 4)] ?? 0;
  });
  return { width, height, data: moved };
}
