import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianFfmpeg } from '@kinora/boxes/debian-ffmpeg.fixture';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { OutputInvalid } from '../errors.ts';
import { readVideoFacts } from './read-video-facts.ts';

const run = promisify(execFile);
const root = temporaryFolder('video-facts');

const fast = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p';

let files = 0;
/** Makes a file with the given ending. */
async function makeFile(ending: string, source: string, options: string): Promise<string> {
  const name = `${(files += 1)}.${ending}`;
  await debianFfmpeg(`-f lavfi -i testsrc2=${source} ${options} ${name}`, root);
  return join(root, name);
}

/** Returns what ffprobe says about the pictures of a file. */
async function probe(path: string) {
  const fields = 'codec_name,pix_fmt,width,height,avg_frame_rate,nb_read_packets';
  const options = `-v error -select_streams v:0 -count_packets -show_entries stream=${fields} -of json`;
  const { stdout } = await run('ffprobe', [...options.split(' '), path]);
  const [stream = {}] = (JSON.parse(stdout) as { streams: Record<string, string>[] }).streams;
  const [units = 0, seconds = 0] = (stream['avg_frame_rate'] ?? '').split('/').map(Number);
  return {
    codec: `${stream['codec_name']} ${stream['pix_fmt']}`,
    width: Number(stream['width']),
    height: Number(stream['height']),
    fps: units / seconds,
    frameCount: Number(stream['nb_read_packets']),
  };
}

describe.concurrent('a plain video is read as ffprobe reads it', () => {
  const bframes = '-c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p';
  it.each([
    ['the default of x264, whose frames are stored in another order than shown', 's=320x240:r=24:d=1', bframes],
    ['frames in the order shown', 's=320x240:r=24:d=1', fast],
    ['a size that is not a multiple of 16', 's=854x480:r=24:d=0.5', fast],
    ['an odd height of blocks', 's=480x854:r=16:d=1', bframes],
    ['the baseline profile', 's=64x64:r=30:d=1', `${fast} -profile:v baseline`],
    ['the main profile', 's=64x64:r=25:d=1', `${bframes} -profile:v main`],
    ['the rate of television', 's=64x64:r=30000/1001:d=2', bframes],
    ['an index in front', 's=64x64:r=24:d=1', `${fast} -movflags +faststart`],
    ['colours and square pixels that are named', 's=64x64:r=24:d=1', `${fast} -aspect 1:1 -colorspace bt709`],
    ['a scaling matrix', 's=64x64:r=24:d=1', `${fast} -x264-params cqm=jvt`],
    ['negative offsets instead of an edit list', 's=64x64:r=24:d=1', `${bframes} -movflags +negative_cts_offsets`],
    ['a single frame', 's=64x64:r=24', `${fast} -frames:v 1`],
    ['a QuickTime file', 's=64x64:r=24:d=1', `${fast} -f mov`],
    ['a fine unit of time', 's=64x64:r=24:d=1', `${fast} -video_track_timescale 90000`],
  ])('%s', async (_name, source, options) => {
    const path = await makeFile('mp4', source, options);
    const { plain, width, height } = await readVideoFacts(path);
    const { codec, fps, ...expected } = await probe(path);
    expect(codec).toBe('h264 yuv420p');
    expect(plain).toMatchObject(expected);
    expect(plain?.fps).toBeCloseTo(fps, 6);
    expect({ width, height }).toEqual({ width: expected.width, height: expected.height });
    expect(plain?.isFastStart).toBe(options.includes('faststart'));
  });
});

describe.concurrent('a video that is not plain is reported as such, with the size of its pictures', () => {
  it.each([
    ['4:4:4', 's=64x64:r=24:d=1', '-c:v libx264 -preset ultrafast -pix_fmt yuv444p', 'mp4'],
    ['ten bits', 's=64x64:r=24:d=1', '-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le', 'mp4'],
    ['the full range', 's=64x64:r=24:d=1', '-c:v libx264 -preset ultrafast -pix_fmt yuvj420p', 'mp4'],
    ['pixels that are not square', 's=64x64:r=24:d=1', `${fast} -vf setsar=4/3`, 'mp4'],
    ['interlacing', 's=64x64:r=24:d=1', `${fast} -flags +ilme+ildct`, 'mp4'],
    ['a start after 0', 's=64x64:r=24:d=1', `${fast} -output_ts_offset 0.5`, 'mp4'],
    ['a rate that varies', 's=64x64:r=24:d=1', `${fast} -vf select=not(eq(n\\,5)) -vsync passthrough`, 'mp4'],
    ['fragments', 's=64x64:r=24:d=1', `${fast} -movflags frag_keyframe+empty_moov`, 'mp4'],
    ['a second video', 's=64x64:r=24:d=1', `-map 0:v -map 0:v ${fast}`, 'mp4'],
    ['MPEG-4 part 2', 's=64x64:r=24:d=1', '-c:v mpeg4', 'mp4'],
    ['HEVC', 's=64x64:r=24:d=1', '-c:v libx265 -x265-params log-level=none', 'mp4'],
    ['VP9', 's=64x64:r=24:d=1', '-c:v libvpx-vp9 -deadline realtime', 'mp4'],
    ['WebM', 's=64x80:r=24:d=1', '-c:v libvpx -deadline realtime', 'webm'],
    ['WebM that was written as a live stream', 's=64x80:r=24:d=1', '-c:v libvpx -deadline realtime -live 1', 'webm'],
    [
      'Matroska with sound before its pictures',
      's=64x80:r=24:d=1',
      `-f lavfi -i sine=d=1 -map 1 -map 0 ${fast}`,
      'mkv',
    ],
  ])('%s', async (_name, source, options, ending) => {
    const path = await makeFile(ending, source, options);
    const facts = await readVideoFacts(path);
    const { width, height } = await probe(path);
    expect(facts).toMatchObject({ plain: null, width, height, container: ending === 'mp4' ? 'mov' : 'matroska' });
  });
});

it.each([
  ['a rotation', '-f mov', '-metadata:s:v rotate=90'],
  ['an edit list that hides frames', '-ss 0.2', '-f mp4'],
])('%s, added to a plain video by a copy, makes it not plain', async (_name, inputOptions, outputOptions) => {
  const plain = await makeFile('mp4', 's=64x64:r=24:d=1', fast);
  expect((await readVideoFacts(plain)).plain).not.toBeNull();
  await debianFfmpeg(`${inputOptions} -i ${plain} -c copy ${outputOptions} ${plain}.copy.mp4`, root);
  expect((await readVideoFacts(`${plain}.copy.mp4`)).plain).toBeNull();
});

it.each([
  ['-c:a aac', { isAac: true }],
  ['-c:a libmp3lame', { isAac: false }],
  ['-c:a flac -strict -2', { isAac: false }],
])('sound made with %s is recognised, and its length', async (codec, expected) => {
  const path = await makeFile('mp4', 's=64x64:r=24:d=1', `-f lavfi -i sine=d=2 ${fast} ${codec}`);
  const { audio, plain } = await readVideoFacts(path);
  expect(audio).toMatchObject(expected);
  expect(audio).toMatchObject({ durationSeconds: expect.closeTo(2, 0) });
  expect(plain?.hasAudio).toBe(true);
});

describe('a damaged file', () => {
  const samples: Buffer[] = [];
  beforeAll(async () => {
    for (const ending of ['mp4', 'webm']) {
      const codec = ending === 'mp4' ? `${fast} -movflags +faststart` : '-c:v libvpx -deadline realtime';
      const path = await makeFile(ending, 's=64x64:r=24:d=0.2', `-f lavfi -i sine=d=0.2 ${codec}`);
      samples.push(await readFile(path));
    }
  });

  it('is read to some result or refused as invalid, whichever bytes are wrong', async () => {
    const path = join(root, 'damaged');
    const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), value: fc.nat(255) });
    // Most of the changes hit the index, which is at the beginning.
    const damage = fc.record({
      sample: fc.nat(1),
      keptShare: fc.constantFrom(1, 1, 0.5, 0.1),
      changes: fc.array(change, { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ sample, keptShare, changes }) => {
        const whole = samples[sample] ?? Buffer.alloc(0);
        const bytes = Buffer.from(whole.subarray(0, whole.length * keptShare));
        for (const { at, value } of changes) bytes[Math.floor(at * at * (bytes.length - 1))] = value;
        await writeFile(path, bytes);
        const error: unknown = await readVideoFacts(path).then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error === null || error instanceof OutputInvalid).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      'an index that is said to be larger than memory',
      '00000018667479706d703432000000006d70343269736f6d000000016d6f6f76000fffffffffffff',
    ],
    ['an index that is cut short', '00000018667479706d703432000000006d70343269736f6d000010006d6f6f760000'],
    ['a box that says it is shorter than its header', '00000004667479706d703432'],
    ['a Matroska element that reaches beyond every file', '1a45dfa301ffffffffffffff'],
  ])('%s is refused', async (name, hex) => {
    const path = join(root, name);
    await writeFile(path, Buffer.from(hex, 'hex'));
    await expect(readVideoFacts(path)).rejects.toBeInstanceOf(OutputInvalid);
  });
});
