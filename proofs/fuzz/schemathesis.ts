import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearer } from '@kinora/stack/harness/api-client';
import { interrupted } from '@kinora/stack/harness/interruption';
import type { ObjectIds } from '@kinora/stack/harness/operation-requests';
import { toolPath } from '@kinora/stack/parts/stack-state';

const checks = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';

/** Runs schemathesis against the API for the given seconds; returns its objections in its own words. */
export async function runSchemathesis(options: {
  url: string;
  key: string;
  ids: ObjectIds;
  seconds: number;
  seed: number;
}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kinora-fuzz-'));
  // Ids that exist, so that requests do not all end as not found.
  const parameters = Object.entries(options.ids).map(([name, id]) => `"path.${name}" = "${id}"`);
  writeFileSync(join(folder, 'schemathesis.toml'), `[parameters]\n${parameters.join('\n')}\n`);
  // One worker: with two threads, Hypothesis sometimes fails with a KeyError in its cache of lambda sources.
  const words =
    `--checks ${checks} --phases examples,coverage,fuzzing --max-time ${options.seconds} --workers 1 --seed ${options.seed} ` +
    '--no-shrink --continue-on-failure --suppress-health-check all --warnings off --request-timeout 20 --no-color';
  const child = spawn(
    toolPath('schemathesis', 'python'),
    [
      'run',
      `${options.url}/openapi.json`,
      '--url',
      options.url,
      ...Object.entries(bearer(options.key)).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...words.split(' '),
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], signal: interrupted },
  );
  const lines: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  rmSync(folder, { recursive: true, force: true });
  if (code === 0) return [];
  const text = Buffer.concat(lines).toString('utf8');
  const objections = text.split('\n').filter((line) => /^- |^\d+\. |^E |Error/.test(line.trim()));
  return [`schemathesis exited with code ${code}: ${objections.slice(0, 12).join(' · ') || text.slice(-600)}`];
}
