import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { BodyTooLarge, boundedBody } from './bounded-body.ts';

const limits = { maxBytes: 1000, slackMilliseconds: 100, slowestBytesPerSecond: 1000 };

async function read(body: Readable, workMilliseconds = 0): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of boundedBody(systemClock, body, limits)) {
    chunks.push(chunk);
    await pause(workMilliseconds);
  }
  return Buffer.concat(chunks).toString();
}

describe('a body from an untrusted sender', () => {
  it('a body within its limits is passed on unchanged', async () => {
    expect(await read(Readable.from(['ab', 'cd'].map((text) => Buffer.from(text))))).toBe('abcd');
  });

  it('a body above its size limit is refused', async () => {
    await expect(read(Readable.from([Buffer.alloc(1001)]))).rejects.toThrow(BodyTooLarge);
  });

  it('reading stops if the sender stalls, and the connection stays open for the response', async () => {
    const body = new PassThrough();
    body.write('ab');
    await expect(read(body)).rejects.toThrow('too slow');
    expect(body.destroyed).toBe(false);
  });

  it('reading stops if the sender only trickles bytes', async () => {
    const body = new PassThrough();
    const timer = setInterval(() => body.write('a'), 20);
    await expect(read(body)).rejects.toThrow('too slow');
    clearInterval(timer);
  });

  it('the time that the reader takes does not count against the sender', async () => {
    expect(await read(Readable.from(['ab', 'cd', 'ef'].map((text) => Buffer.from(text))), 80)).toBe('abcdef');
  });
});
