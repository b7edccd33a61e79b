import { describe, expect, it } from 'vitest';
import { aspectRatios, fitImage, nearestRatio } from './image-fit.ts';

describe('fitting an image', () => {
  const wide = { width: 2000, height: 1000 };

  it('leaves an image of the right ratio alone', () => {
    expect(fitImage({ width: 854, height: 480 }, '16:9', 'crop').words).toBe('The image fits the frame as it is.');
  });

  it('crops the sides of an image that is too wide', () => {
    expect(fitImage(wide, '1:1', 'crop')).toEqual({
      kept: { width: 0.5, height: 1 },
      filled: { width: 1, height: 1 },
      words: 'Cuts off 50 % of the image, left and right.',
    });
  });

  it('crops the top and bottom of an image that is too tall', () => {
    expect(fitImage({ width: 1000, height: 2000 }, '1:1', 'crop').kept).toEqual({ width: 1, height: 0.5 });
  });

  it('pads above and below an image that is too wide', () => {
    expect(fitImage(wide, '1:1', 'pad')).toEqual({
      kept: { width: 1, height: 1 },
      filled: { width: 1, height: 0.5 },
      words: 'Keeps all of the image. Black bars above and below take 50 % of the frame.',
    });
  });

  it('pads beside an image that is too tall', () => {
    expect(fitImage({ width: 1000, height: 2000 }, '1:1', 'pad').filled).toEqual({ width: 0.5, height: 1 });
  });

  it('says how much a stretched image is distorted', () => {
    expect(fitImage(wide, '1:1', 'stretch').words).toBe(
      'Keeps all of the image, but stretches it to 200 % of its height.',
    );
  });
});

describe('the nearest ratio', () => {
  it('compares factors, so that tall and wide images are treated alike', () => {
    expect(nearestRatio({ width: 1200, height: 800 }, aspectRatios)).toBe('4:3');
    expect(nearestRatio({ width: 800, height: 1200 }, aspectRatios)).toBe('3:4');
    expect(nearestRatio({ width: 1900, height: 1000 }, aspectRatios)).toBe('16:9');
  });

  it('stays within what the model supports', () => {
    expect(nearestRatio({ width: 800, height: 1200 }, ['16:9', '1:1'])).toBe('1:1');
  });
});
