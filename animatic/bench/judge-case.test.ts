import { expect, test } from 'vitest';
import { judgeCase } from './judge-case.ts';
import type { Measured } from './measure-case.ts';

const good: Measured = {
  renderCase: {
    size: '720p',
    prompt: 'a boat',
    seed: 1,
    width: 1280,
    height: 720,
    fps: 24,
    frameCount: 120,
    isFromImage: false,
    limitSeconds: 8,
  },
  seconds: 5,
  framesPerSecond: 24,
  bareFramesPerSecond: 30,
  ratio: 0.8,
  peaks: { drawingMegabytes: 200, encodingMegabytes: 100 },
};

test('a case fails by its time or its ratio, once, and not for missing the goal', () => {
  expect(judgeCase(good)).toEqual([]);
  expect(judgeCase({ ...good, ratio: 0.6 })).toEqual([]);
  expect(judgeCase({ ...good, seconds: 8.1 })).toEqual([expect.stringContaining('the limit is 8 s')]);
  expect(judgeCase({ ...good, ratio: 0.49 })).toEqual([expect.stringContaining('the least is 0.5')]);
  expect(judgeCase({ ...good, seconds: 9, ratio: 0.4 })).toHaveLength(1);
  expect(judgeCase({ ...good, seconds: 99, renderCase: { ...good.renderCase, limitSeconds: null } })).toEqual([]);
});
