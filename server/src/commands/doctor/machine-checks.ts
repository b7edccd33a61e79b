import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Box } from '@kinora/boxes/box';
import { words } from '@kinora/boxes/ffmpeg-arguments';
import { findMediaProgram, findPrograms } from '@kinora/boxes/find-programs';
import { prepareScratchRoot } from '@kinora/boxes/prepare-scratch-root';
import { UnsafeMachine } from '@kinora/boxes/unsafe-machine';
import { messageOf } from '../../health/part-problems.ts';
import { withScratchFolder } from '../../media/scratch.ts';
import { type DoctorCheck, failed, ok, warning } from './doctor-check.ts';

/** One finished video needs its raw output, the video and two pictures: some hundred MB at most. */
const leastFreeBytes = 500_000_000;
const usualFreeBytes = 2_000_000_000;

/** The abilities of ffmpeg that Kinora's commands use, by the option that lists them. */
const abilities = {
  encoders: words('libx264 mjpeg aac'),
  decoders: words('h264 hevc mpeg4 mjpeg vp8 vp9 libdav1d rawvideo aac mp3float opus vorbis flac pcm_s16le'),
  demuxers: words('mov matroska rawvideo'),
  muxers: words('mp4 mjpeg'),
  filters: words(
    'scale crop fps setsar format select tile split tpad trim setpts setparams transpose hflip vflip rotate aresample atrim aformat',
  ),
};

export const machineChecks: readonly DoctorCheck[] = [
  {
    id: 'programs',
    looksAt: 'whether kinora-media and kinora-ffmpeg are there',
    needs: ['settings'],
    async run() {
      try {
        const [programs, media] = await Promise.all([findPrograms(), findMediaProgram()]);
        return ok(`Found ${programs.ffmpeg} and ${media}.`);
      } catch (error) {
        return failed(
          `A program is missing: ${messageOf(error)}.`,
          'Put kinora-media and kinora-ffmpeg into the folder bin of the build, or into /usr/local/bin.',
        );
      }
    },
  },
  {
    id: 'isolation',
    looksAt: 'which isolation of child processes the machine allows, and `KINORA_MINIMUM_ISOLATION`',
    needs: ['programs'],
    async run({ box }) {
      try {
        const { isolation } = await box();
        return ok(`Child processes are isolated by "${isolation}".`);
      } catch (error) {
        if (!(error instanceof UnsafeMachine)) throw error;
        const [message = '', ...remedies] = error.message.split('\n');
        return failed(message, remedies.map((remedy) => remedy.replace(/^- /, '')).join(' '));
      }
    },
  },
  {
    id: 'scratch',
    looksAt:
      'whether the scratch folder belongs to this user, can be written to, and has room: 0.5 GB at least, 2 GB without a warning',
    needs: ['settings'],
    async run({ config }) {
      const root = config.KINORA_SCRATCH_FOLDER;
      const remedy = 'Set KINORA_SCRATCH_FOLDER to a folder with a few GB that belongs to the user of the process.';
      try {
        await prepareScratchRoot(root);
        const folder = await mkdtemp(join(root, 'scratch-doctor-'));
        try {
          await writeFile(join(folder, 'probe'), Buffer.alloc(1024 * 1024));
        } finally {
          await rm(folder, { recursive: true });
        }
      } catch (error) {
        return failed(`The scratch folder cannot be used: ${messageOf(error)}.`, remedy);
      }
      const { bavail, bsize } = await statfs(root);
      const gigabytes = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`;
      if (bavail * bsize < leastFreeBytes) return failed(`The scratch folder has only ${gigabytes}.`, remedy);
      if (bavail * bsize < usualFreeBytes) return warning(`The scratch folder has only ${gigabytes}.`, remedy);
      return ok(`The scratch folder is writable and has ${gigabytes}.`);
    },
  },
  {
    id: 'ffmpeg',
    looksAt: 'the encoders, decoders, filters and formats of kinora-ffmpeg that Kinora uses, in its box',
    needs: ['isolation', 'scratch'],
    async run({ box: start, config }) {
      const box = await start();
      const missing = await withScratchFolder(config.KINORA_SCRATCH_FOLDER, async (folder) => {
        const kinds = Object.entries(abilities).map(async ([kind, names]) => {
          const listed = await listAbilities(box, folder, kind);
          return names.filter((name) => !listed.has(name)).map((name) => `${kind.slice(0, -1)} ${name}`);
        });
        return (await Promise.all(kinds)).flat();
      });
      if (missing.length === 0) return ok('kinora-ffmpeg runs and has everything that Kinora uses.');
      return failed(
        `ffmpeg lacks ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ' and more' : ''}.`,
        "Use Kinora's own build: scripts/setup makes kinora-ffmpeg; boxes/kinora-ffmpeg/build lists its parts.",
      );
    },
  },
];

async function listAbilities(box: Box, folder: string, kind: string): Promise<ReadonlySet<string>> {
  const { stdout } = await box.run({
    program: 'ffmpeg',
    arguments: ['-hide_banner', `-${kind}`],
    limits: { memoryBytes: 512 * 2 ** 20, cpuSeconds: 5, fileSizeBytes: 0, timeoutMilliseconds: 8_000 },
    folder,
  });
  // Each line has flags and a name, or several names with commas between.
  const names = String(stdout)
    .split('\n')
    .flatMap((line) => (/^\s*(?:[A-Z.]+\s+)?(\S+)/.exec(line)?.[1] ?? '').split(','));
  return new Set(names);
}
