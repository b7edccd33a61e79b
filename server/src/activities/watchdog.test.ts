import { describe, expect, it } from 'vitest';
import { attemptSeconds, createWatchdog, estimateProgress, type Measured, pollMilliseconds } from './watchdog.ts';

const measured = { renderP50Seconds: 40, renderP90Seconds: 100 };

describe('a job with steps', () => {
  it('has stalled after a minute without a step, not before', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured: null });
    expect(watchdog.isStalled(0, 0)).toBe(false);
    expect(watchdog.isStalled(0, 60_000)).toBe(false);
    expect(watchdog.isStalled(0, 60_001)).toBe(true);
  });

  it('may be as slow as its steps are: only ten times their median is a stall', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured });
    let now = 0;
    for (const step of [0, 10, 20, 30, 40]) {
      expect(watchdog.isStalled(step, now)).toBe(false);
      now += 20_000;
    }
    const lastStep = now - 20_000;
    expect(watchdog.isStalled(40, lastStep + 200_000)).toBe(false);
    expect(watchdog.isStalled(40, lastStep + 200_001)).toBe(true);
  });

  it('is not judged by the one slow step among many fast ones', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured: null });
    let now = 0;
    for (let step = 0; step < 50; step += 1) watchdog.isStalled(step, (now += step === 20 ? 50_000 : 1_000));
    expect(watchdog.isStalled(49, now + 60_001)).toBe(true);
  });

  it('shows a sign of life with every change of progress, even a backward one', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured: null });
    watchdog.isStalled(50, 0);
    watchdog.isStalled(3, 59_000);
    expect(watchdog.isStalled(3, 119_000)).toBe(false);
  });

  it('may be silent after its last step for as long as a job without steps', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured });
    expect(watchdog.isStalled(100, 150_000)).toBe(false);
    expect(watchdog.isStalled(100, 300_000)).toBe(false);
    expect(watchdog.isStalled(100, 300_001)).toBe(true);
  });

  it('gets the full time again from a worker that takes it over late', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured });
    expect(watchdog.isStalled(10, 3_600_000)).toBe(false);
    expect(watchdog.isStalled(10, 3_660_001)).toBe(true);
  });
});

describe('a job without steps', () => {
  it('has stalled after three times the measured 90th percentile', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured });
    expect(watchdog.isStalled(null, 300_000)).toBe(false);
    expect(watchdog.isStalled(null, 300_001)).toBe(true);
  });

  it('has at least a minute, however fast the model was measured', () => {
    const quick = { renderP50Seconds: 1, renderP90Seconds: 2 };
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured: quick });
    expect(watchdog.isStalled(null, 60_000)).toBe(false);
    expect(watchdog.isStalled(null, 60_001)).toBe(true);
  });

  it('never stalls if nothing was measured', () => {
    const watchdog = createWatchdog({ floorSeconds: 60, beganAt: 0, measured: null });
    expect(watchdog.isStalled(null, 1e9)).toBe(false);
  });
});

it('an attempt gets the configured time, or five times the measured time if that is more, but at most two hours', () => {
  expect(attemptSeconds(1800, null)).toBe(1800);
  expect(attemptSeconds(1800, measured)).toBe(1800);
  expect(attemptSeconds(100, measured)).toBe(500);
  expect(attemptSeconds(1800, { renderP50Seconds: 1000, renderP90Seconds: 2000 })).toBe(7200);
});

it('estimates progress from the measured times, and never above 95 %', () => {
  expect(estimateProgress(10, null)).toBeNull();
  expect(estimateProgress(10, measured)).toBe(25);
  expect(estimateProgress(1000, measured)).toBe(95);
});

describe('polls of a job', () => {
  const pollsAt = (ages: number[], speed: Measured) => ages.map((age) => pollMilliseconds(age, speed));

  it('come after 0.5 % of its age, at least 15 ms and at most 2 s, if its length is unknown', () => {
    expect(pollsAt([0, 2_500, 10_000, 50_000, 600_000], null)).toEqual([15, 15, 50, 250, 2_000]);
  });

  it('come every 2 s in the first half of its usual time, and never later than after half a second from then on', () => {
    const usual = { renderP50Seconds: 600, renderP90Seconds: 700 };
    const ages = [0, 1_999, 2_000, 100_000, 299_000, 299_900, 300_000, 700_000];
    expect(pollsAt(ages, usual)).toEqual([15, 15, 2_000, 2_000, 1_000, 500, 500, 500]);
  });

  it('notice the end of a job that lasts at least half of its usual time no later than without a known length', () => {
    for (const renderP50Seconds of [1, 5, 30, 120, 600, 3_600])
      for (let age = renderP50Seconds * 500; age < renderP50Seconds * 3_000; age += renderP50Seconds * 10)
        expect(pollMilliseconds(age, { renderP50Seconds, renderP90Seconds: renderP50Seconds })).toBeLessThanOrEqual(
          pollMilliseconds(age, null),
        );
  });
});
