import { describe, expect, it } from 'vitest';
import { nearestName } from '../../domain/nearest-name.ts';
import { nameForPeople } from '../../http/unknown-fields.ts';
import { knownFields } from '../schemas/generation-request-schema.ts';

describe('nearestName', () => {
  it.each([
    ['durration', 'duration'],
    ['duraiton', 'duration'],
    ['aspectRatio', 'aspect_ratio'],
    ['ASPECT-RATIO', 'aspect_ratio'],
    ['image', 'image_url'],
    ['imageFit', 'image_fit'],
    ['promt', 'prompt'],
    ['negativePrompt', 'negative_prompt'],
    ['sede', 'seed'],
    ['resolutions', 'resolution'],
    ['meta', 'metadata'],
  ])('corrects %s to %s', (name, meant) => {
    expect(nearestName(name, knownFields)).toBe(meant);
  });

  it.each(['webhook_url', 'fps', 'quality', 'x', '', '日本', '__proto__', 'p'.repeat(5000)])(
    'suggests no name for %s',
    (name) => {
      expect(nearestName(name, knownFields)).toBeNull();
    },
  );
});

describe('nameForPeople', () => {
  it('returns a short, printable and well-formed name, whatever the input', () => {
    expect(nameForPeople('plain_name')).toBe('plain_name');
    expect(nameForPeople('a\0b\u001b[31m')).toBe('a\u{fffd}b\u{fffd}[31m');
    expect(nameForPeople('\ud800')).toBe('\u{fffd}');
    expect(nameForPeople('😀'.repeat(40)).isWellFormed()).toBe(true);
  });
});
