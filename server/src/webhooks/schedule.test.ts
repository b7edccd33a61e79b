import { describe, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { nextDelaySeconds, readRetryAfter } from './schedule.ts';

const { KINORA_WEBHOOK_SCHEDULE_SECONDS: schedule } = readConfig({
  KINORA_ENV: 'development',
  KINORA_DATABASE_URL: 'postgres://nowhere',
  KINORA_S3_ENDPOINT: 'http://nowhere',
  KINORA_S3_ACCESS_KEY_ID: 'a',
  KINORA_S3_SECRET_ACCESS_KEY: 'b',
});
const delay = (tries: number, retryAfterSeconds: number | null = null, random = 0.5) =>
  nextDelaySeconds({ schedule, tries, retryAfterSeconds, random });

describe('the schedule of a delivery', () => {
  it('the schedule of a delivery has ten tries over 75 h 35 min 5 s', () => {
    expect(schedule).toHaveLength(10);
    const total = schedule.reduce((sum, seconds) => sum + seconds, 0);
    expect(total).toBe(75 * 3600 + 35 * 60 + 5);
  });

  it('a delivery waits as long as the setting says, and ends after the last try', () => {
    expect(schedule.map((_, index) => delay(index + 1))).toEqual([...schedule.slice(1), null]);
  });

  it('jitter varies each wait between two tries by at most a tenth in either direction', () => {
    expect(delay(2, null, 0)).toBeCloseTo(270);
    expect(delay(2, null, 1)).toBeCloseTo(330);
  });

  it("a delivery is never tried before the receiver's Retry-After, up to a day", () => {
    expect(delay(1, 60)).toBe(60);
    expect(delay(1, 7 * 24 * 3600)).toBe(24 * 3600);
    // A Retry-After shorter than the planned wait is ignored, or ten tries would be over in minutes.
    expect(delay(2, 1)).toBe(300);
  });

  it('a Retry-After does not extend the schedule of a delivery', () => {
    expect(delay(10, 60)).toBeNull();
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-15T12:00:00Z');
  it.each([
    ['120', 120],
    ['0', 0],
    ['Sun, 15 Nov 2026 12:02:00 GMT', 120],
    ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026-11-15T12:02:00Z', null],
    ['', null],
    [undefined, null],
  ])('the header Retry-After: %s is read as %s', (header, seconds) => {
    expect(readRetryAfter(header, now)).toBe(seconds);
  });
});
