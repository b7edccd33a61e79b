import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import { createUrlSigner } from './url-signer.ts';

const now = new Date('2026-11-15T12:00:00Z');
const inAnHour = new Date(now.getTime() + 3_600_000);
const signerWith = (secretKeys: string[], moment = now) =>
  createUrlSigner({ publicUrl: 'https://videos.example.com/kinora/', secretKeys, clock: clockAt(() => moment) });

const path = '/v1/videos/task_1/content';

function queryOf(url: string) {
  const { variant = '', expires = '', signature = '' } = Object.fromEntries(new URL(url).searchParams);
  return { variant, expires, signature };
}

describe('a signed URL', () => {
  const query = queryOf(signerWith(['secret']).sign(path, 'video', inAnHour));

  it('is absolute under the public URL and names the variant that it opens', () => {
    const url = signerWith(['secret']).sign(path, 'video', inAnHour);
    expect(url).toMatch(
      /^https:\/\/videos\.example\.com\/kinora\/v1\/videos\/task_1\/content\?variant=video&expires=\d+&signature=[\w-]{43}$/,
    );
    expect(query.expires).toBe(String(inAnHour.getTime() / 1000));
  });

  it('is valid for what it was signed for, until it expires', () => {
    expect(signerWith(['secret']).verify(path, query)).toBe(true);
    expect(signerWith(['secret'], new Date(inAnHour.getTime() - 1)).verify(path, query)).toBe(true);
    expect(signerWith(['secret'], inAnHour).verify(path, query)).toBe(false);
  });

  it('is not valid for anything else', () => {
    const signer = signerWith(['secret']);
    expect(signer.verify('/v1/videos/task_2/content', query)).toBe(false);
    expect(signer.verify(path, { ...query, variant: 'thumbnail' })).toBe(false);
    expect(signer.verify(path, { ...query, expires: String(Number(query.expires) + 1) })).toBe(false);
    for (const expires of ['', '0', '-1', '1e99', ` ${query.expires}`, `0${query.expires}`, 'NaN']) {
      expect(signer.verify(path, { ...query, expires })).toBe(false);
    }
    for (const signature of ['', query.signature.slice(0, -1), `${query.signature}=`, `${query.signature}A`]) {
      expect(signer.verify(path, { ...query, signature })).toBe(false);
    }
    expect(signerWith(['another']).verify(path, query)).toBe(false);
  });

  it('is not valid with any one character of its signature replaced', () => {
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    fc.assert(
      fc.property(fc.nat(42), fc.constantFrom(...characters.split('')), (position, character) => {
        fc.pre(query.signature[position] !== character);
        const signature = query.signature.slice(0, position) + character + query.signature.slice(position + 1);
        expect(signerWith(['secret']).verify(path, { ...query, signature })).toBe(false);
      }),
    );
  });

  it('stays valid while its key is replaced, but not once the key is removed', () => {
    expect(signerWith(['newer', 'secret']).verify(path, query)).toBe(true);
    expect(signerWith(['newer']).verify(path, query)).toBe(false);
    const fresh = queryOf(signerWith(['newer', 'secret']).sign(path, 'video', inAnHour));
    expect(signerWith(['newer']).verify(path, fresh)).toBe(true);
  });

  it('cannot be created without a key', () => {
    expect(() => signerWith([])).toThrow(/secret key/);
  });
});
