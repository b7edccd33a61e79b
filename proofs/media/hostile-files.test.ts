import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { goodImages } from './good-images.ts';
import { hostileDamage } from './hostile-damage.ts';
import { hostileFiles } from './hostile-files.ts';

const options = { seed: 7, flipsPerFormat: 2, canaryUrl: 'http://127.0.0.1:1/canary' };
const digests = (files: readonly { bytes: Buffer }[]) =>
  files.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));

it('a seed determines the hostile files, another seed gives others, and all files of a seed differ', () => {
  const files = hostileFiles(options);
  const made = digests(files);
  expect(new Set(made).size).toBe(files.length);
  expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
  expect(files.length).toBeGreaterThanOrEqual(280);
  expect(made).toEqual(expect.arrayContaining(digests(hostileDamage(options.seed, options.flipsPerFormat))));
  const others = digests(hostileDamage(options.seed + 1, options.flipsPerFormat));
  expect(others.filter((digest) => !made.includes(digest))).toHaveLength(10);
});

it('the good images are different from each other and within the limits', () => {
  const images = goodImages();
  expect(new Set(digests(images)).size).toBeGreaterThanOrEqual(60);
  for (const { width, height, bytes } of images) {
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(300);
    expect(Math.max(width, height)).toBeLessThanOrEqual(6000);
    expect(bytes.length).toBeLessThanOrEqual(20_000_000);
  }
});
