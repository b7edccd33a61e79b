import { readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Box, type BoxResult, createBox } from '@kinora/boxes/box';
import { boxedChildren } from '@kinora/boxes/boxed-children';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { eventually } from '@kinora/stack/harness/eventually';
import { afterAll, expect, it } from 'vitest';
import { goodImages } from '../../../proofs/media/good-images.ts';
import { hostileFiles } from '../../../proofs/media/hostile-files.ts';
import { objectionsToResponse } from '../../../proofs/media/judge-media.ts';
import { AppError } from '../errors.ts';
import { normaliseImage } from '../operations/files/normalise-image.ts';
import { listen } from '../outbound/loopback-server.fixture.ts';
import { ImageChildLost } from './image-pool.ts';
import { createImages } from './images.ts';

// All of `proofs/media` at its CI size, against the boxed decoder. No time decides: the box says which limit it was.
const cpuSeconds = 6;
/** How a decoder ends that the box ended: by its limit of CPU time, or of the size of a file. */
const endsByLimit = ['SIGXCPU', 'SIGXFSZ'];

const canary = await listen(createServer((socket) => socket.destroy()));
const hostile = hostileFiles({
  seed: 20_261_115,
  flipsPerFormat: 8,
  canaryUrl: `http://127.0.0.1:${canary.port}/canary`,
});
const good = goodImages().map(({ width, height, ...image }) => ({ ...image, outcome: { width, height } }));
const step = Math.floor(hostile.length / good.length);
/** A good image after every few hostile files, because a hostile file must not harm the good image after it. */
const files = hostile.flatMap((file, index) => [
  file,
  ...(index % step === 0 ? good.slice(index / step, index / step + 1) : []),
]);

/** How the decoders ended, in this order. */
const ends: BoxResult[] = [];
/** What the kernel allows each decoder, by its process id. */
const decoders = new Map<number, { limits: string; network: string; interfaces: string[] }>();
const realBox = await createBox({});
/** The real box. A decoder gets as much CPU time as the service allows per image. */
const box: Box = {
  ...realBox,
  spawn(command) {
    const child = realBox.spawn({ ...command, limits: { ...command.limits, cpuSeconds } });
    void child.result.then((end) => ends.push(end));
    return child;
  },
};
const scratchRoot = temporaryFolder('hostile-images');
const images = createImages({
  box,
  scratchRoot,
  poolSize: 1,
  requestMilliseconds: hangLimitMilliseconds,
  waitMilliseconds: hangLimitMilliseconds,
});
/** Another project gets a decoder that has seen no image. */
let projects = 1;

afterAll(async () => {
  await images.close();
  await canary[Symbol.asyncDispose]();
});

/** Returns how the service would respond, and whether the file was too much for its decoder. */
async function send(bytes: Buffer) {
  try {
    const { width, height } = await normaliseImage(images, `proj_${projects}`, bytes, 'image_url');
    return { status: 200, body: JSON.stringify({ image: { width, height } }), isLost: false };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, code, message, param } = error;
    const isLost = error.cause instanceof AppError && error.cause.cause instanceof ImageChildLost;
    return { status, body: JSON.stringify({ error: { code, message, param } }), isLost };
  }
}

function noteDecoders(): void {
  for (const pid of boxedChildren(process.pid)) {
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    try {
      const devices = read('net/dev').split('\n').slice(2);
      decoders.set(pid, {
        limits: read('limits'),
        network: readlinkSync(`/proc/${pid}/ns/net`),
        interfaces: devices.map((line) => line.split(':')[0]?.trim() ?? '').filter(Boolean),
      });
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Sends a file, and returns what is wrong with the response or with the end of its decoder. */
async function objectionsTo({ bytes, outcome }: (typeof files)[number]): Promise<string[]> {
  const first = await send(bytes);
  if (!first.isLost) return objectionsToResponse(outcome, first);
  // Earlier files may have used up its CPU time: this one gets a decoder to itself.
  projects += 1;
  const before = ends.length;
  const alone = await send(bytes);
  if (alone.isLost) await eventually('the end of the decoder', () => ends.length > before);
  const signal = ends[before]?.signal ?? 'nothing';
  const isByLimit = !alone.isLost || endsByLimit.includes(signal);
  return [
    ...objectionsToResponse(outcome, alone),
    ...(isByLimit ? [] : [`its decoder was ended by ${signal} and not by a limit of the box`]),
  ];
}

it.each(files)('$name', async (file) => {
  expect(await objectionsTo(file)).toEqual([]);
  noteDecoders();
});

it('runs every file, and the box has ended at least one that needed too much CPU time', () => {
  expect(hostile.length).toBeGreaterThanOrEqual(325);
  expect(files).toHaveLength(hostile.length + good.length);
  expect(ends.map(({ signal }) => signal)).toContain('SIGXCPU');
});

it('every decoder was in its box: limited, and without a network', () => {
  expect(decoders.size).toBeGreaterThan(1);
  const ownNetwork = readlinkSync('/proc/self/ns/net');
  for (const { limits, network, interfaces } of decoders.values()) {
    expect(limits).toMatch(new RegExp(`Max cpu time +${cpuSeconds} `));
    expect(limits).toMatch(/Max file size +268435456 /);
    // What one image may take, and the 512 MB that an idle Node process maps and does not touch, with some room.
    expect(Number(/Max data size +(\d+)/.exec(limits)?.[1])).toBeLessThan(1.5 * 2 ** 30);
    expect(network).not.toBe(ownNetwork);
    expect(interfaces.filter((name) => name !== 'lo')).toEqual([]);
  }
  expect(canary.connections()).toBe(0);
});
