import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startInstallation } from '@kinora/stack/harness/installation';
import type { Bench, BenchOptions, BenchOutcome } from '../bench-outcome.ts';
import { measureAdmission } from './measure-admission.ts';
import { measureSnapshot } from './measure-snapshot.ts';
import { measureStarts } from './measure-starts.ts';

const buildScript = join(import.meta.dirname, '../../scripts/build.ts');

export const footprint: Bench = {
  about: 'the memory and the start of each role compared with bare Node, and what queue places and admissions cost',
  run,
};

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  report('building what production runs');
  const build = join(stack.info.folder, 'build');
  await promisify(execFile)(process.execPath, [buildScript, '--output', build]);
  await using installation = await startInstallation({ stack, build, seed, roles: [], onProgress: report });
  const world = { stack, installation, size, report, openStack };
  const { judged, shown } = await measureStarts(world);
  return {
    judged,
    shown: { ...shown, ...(await measureSnapshot(world)), ...(await measureAdmission(world)) },
    checks: 0,
    failures: [],
  };
}
