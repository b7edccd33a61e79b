// Runs the hostile program in the place of every program that boxes run, and prints what it could do. The test starts it
// as a process of its own, because some machines are imitated by namespaces. Arguments: the hostile program and a folder.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BoxCommand, createBox } from './box.ts';
import { mediaProcesses } from './boxed-children.ts';
import { packagePaths } from './package-paths.ts';

export interface EscapeReport {
  uid: number;
  isolation: string;
  /** The message of a start that requires namespaces; null if it succeeded. */
  refusal: string | null;
  /** What the hostile program printed, by the program in whose place it ran. */
  attempts: Record<string, string>;
}

const [, , hostile = '', folder = ''] = process.argv;
const limits = { memoryBytes: 2 ** 28, cpuSeconds: 10, fileSizeBytes: 2 ** 20, timeoutMilliseconds: 300_000 };
const secret = join(folder, 'secret');
const neighbour = join(folder, 'neighbour');
await mkdir(neighbour);
await writeFile(secret, 'secret');
await writeFile(join(neighbour, 'video.mp4'), 'video');

const box = await createBox({ programs: { ffmpeg: hostile, node: hostile } });
const [media] = mediaProcesses(process.pid);
const victims = ['--', String(process.pid), String(media), secret, join(neighbour, 'video.mp4')];
const children: Record<string, Pick<BoxCommand, 'program' | 'arguments' | 'readable'>> = {
  ffmpeg: { program: 'ffmpeg', arguments: ['-i', 'input.mp4', 'output.mp4'], readable: [] },
  'image child': {
    program: 'node',
    arguments: ['--expose-gc', 'image-child.ts'],
    readable: packagePaths(fileURLToPath(new URL('../../server/src/media/image-child.ts', import.meta.url)), 'vitest'),
  },
  'drawing child': {
    program: 'node',
    arguments: ['draw-child.ts'],
    readable: packagePaths(fileURLToPath(new URL('../../animatic/src/draw-child.ts', import.meta.url)), 'vitest'),
  },
};

const attempts: Record<string, string> = {};
for (const [name, child] of Object.entries(children)) {
  const job = join(folder, `job of ${name}`);
  await mkdir(job);
  const { exitCode, signal, stdout, stderrTail } = await box.run({
    ...child,
    arguments: [...child.arguments, ...victims],
    limits,
    folder: job,
  });
  const end = exitCode === 0 ? '' : `ended with ${exitCode ?? signal}: ${stderrTail}\n`;
  attempts[name] = stdout.toString() + end;
}

const refusal = await createBox({ minimumIsolation: 'namespaces' }).then(
  () => null,
  (error: Error) => error.message,
);
const report: EscapeReport = { uid: process.getuid?.() ?? -1, isolation: box.isolation, refusal, attempts };
process.stdout.write(JSON.stringify(report));
