import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inputArguments, words } from './ffmpeg-arguments.ts';
import { findPrograms } from './find-programs.ts';

const run = promisify(execFile);
const { ffmpeg } = await findPrograms();

/** Everything that the ffmpeg in the box can do. What is not in this list cannot be attacked. */
const parts = {
  protocols: ['file', 'pipe'],
  demuxers: ['matroska,webm', 'mov,mp4,m4a,3gp,3g2,mj2', 'rawvideo'],
  muxers: ['mjpeg', 'mov', 'mp4'],
  // The muxer for MP4 needs that for MOV, and the decoder for MPEG-4 needs that for H.263.
  decoders: words('aac flac h263 h264 hevc libdav1d mjpeg mp3float mpeg4 opus pcm_s16le rawvideo vorbis vp8 vp9'),
  encoders: words('aac libx264 mjpeg'),
  bsfs: words('aac_adtstoasc extract_extradata vp9_superframe vp9_superframe_split'),
  filters: [
    ...words('abuffer abuffersink aformat anull aresample atrim buffer buffersink crop format fps hflip null rotate'),
    ...words('scale select setparams setpts setsar split tile tpad transpose trim vflip'),
  ],
};

it.each(Object.entries(parts))('kinora-ffmpeg has exactly the %s that our commands use', async (kind, names) => {
  const { stdout } = await run(ffmpeg, ['-hide_banner', `-${kind}`]);
  expect(namesIn(stdout)).toEqual(names);
});

it("an engine's file may use every decoder of kinora-ffmpeg except those for raw frames and H.263", () => {
  const options = inputArguments('video.mp4', 'mov');
  const allowed = options[options.indexOf('-codec_whitelist') + 1]?.split(',');
  expect(allowed?.toSorted()).toEqual(parts.decoders.filter((name) => name !== 'rawvideo' && name !== 'h263'));
});

it('kinora-ffmpeg needs at most 15 libraries', async () => {
  const { stdout } = await run('ldd', [ffmpeg]);
  const libraries = stdout.split('\n').filter((line) => line.includes('.so'));
  expect(libraries.length).toBeGreaterThan(0);
  expect(libraries.length).toBeLessThanOrEqual(15);
});

it('a start of kinora-ffmpeg takes at most 5 ms of CPU time', async () => {
  const script = `TIMEFORMAT='%U %S'; for i in {1..20}; do time "$0" -version >/dev/null; done`;
  const { stderr } = await run('bash', ['-c', script, ffmpeg]);
  const starts = stderr.trim().split('\n').map(cpuMilliseconds);
  expect(starts).toHaveLength(20);
  // On a busy machine some starts take longer, because others use its caches; the least shows what a start needs.
  expect(Math.min(...starts)).toBeLessThanOrEqual(5);
});

/** Returns the names in one of ffmpeg's lists, sorted, each once: the text after a legend, flags and a name per line. */
function namesIn(list: string): string[] {
  const lines = list.split('\n').filter((line) => !/ = |:$|^ -+$/.test(line) && line.trim() !== '');
  return [...new Set(lines.map((line) => /^\s*(?:[A-Z.]+\s+)?(\S+)/.exec(line)?.[1] ?? line))].sort();
}

/** Returns the sum of the user and the system time, two numbers of seconds. */
function cpuMilliseconds(line: string): number {
  const [user = Number.NaN, system = Number.NaN] = line.split(' ').map(Number);
  return (user + system) * 1000;
}
