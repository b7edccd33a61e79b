import { expect, test } from 'vitest';
import { plotSoak } from './plot-soak.ts';
import { steadySamples } from './soak-samples.fixture.ts';

test('an hour of samples becomes a small picture with a line per role and no gaps', () => {
  const picture = plotSoak(steadySamples(240), '60 min at 2 tasks per second');
  expect(picture.length).toBeLessThan(30_000);
  expect(picture.match(/<polyline/g)).toHaveLength(15);
  expect(picture).toContain('>worker</text>');
  expect(picture).toContain('60 min at 2 tasks per second');
  expect(picture).not.toMatch(/NaN|undefined|Infinity/);
});
