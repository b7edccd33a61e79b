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
  usage: { drawingMegabytes: 200, encodingMegabytes: 100, drawingCpuSeconds: 3, encodingCpuSeconds: 4 },
};

const slow = { ...good.usage, encodingCpuSeconds: 8.05 };

test('a case has at most one failure, for its CPU time or ratio, and missing the goal is not a failure', () => {
  expect(judgeCase(good)).toEqual([]);
  expect(judgeCase({ ...good, ratio: 0.6 })).toEqual([]);
  expect(judgeCase({ ...good, seconds: 8.1, usage: slow })).toEqual([expect.stringContaining('the limit is 8 s')]);
  expect(judgeCase({ ...good, ratio: 0.49 })).toEqual([expect.stringContaining('the minimum is 0.5')]);
  expect(judgeCase({ ...good, seconds: 9, usage: slow, ratio: 0.4 })).toHaveLength(1);
  const unlimited = { ...good.renderCase, limitSeconds: null };
  expect(judgeCase({ ...good, seconds: 99, usage: slow, renderCase: unlimited })).toEqual([]);
});

test('a case does not fail because the machine has other work to do', () => {
  expect(judgeCase({ ...good, seconds: 12 })).toEqual([]);
});
