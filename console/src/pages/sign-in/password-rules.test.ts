import { describe, expect, test } from 'vitest';
import { problemOfNewPassword, strengthOf } from './password-rules.ts';

describe('the strength of a password', () => {
  test('grows with its length alone', () => {
    const levels = [0, 11, 12, 16, 24].map((length) => strengthOf('a'.repeat(length)).level);
    expect(levels).toEqual([0, 1, 2, 3, 4]);
  });

  test('says how many characters are missing', () => {
    expect(strengthOf('elevenchars').words).toBe('1 more character.');
    expect(strengthOf('short').words).toBe('7 more characters.');
  });

  test('counts characters as people do', () => {
    expect(problemOfNewPassword('🎞'.repeat(11))).toBe('1 more character.');
    expect(problemOfNewPassword('🎞'.repeat(12))).toBeNull();
  });
});
