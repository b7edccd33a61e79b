import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

// Runs everything that must pass before a commit, in two parallel lanes. The unit tests take the longest, about 90 s.
// With --static it leaves them out. --results FILE writes the results as JSON, for the runners of CI.
const { values } = parseArgs({ options: { static: { type: 'boolean', default: false }, results: { type: 'string' } } });
const lanes = [
  [
    ['format', 'biome', 'check', '.'],
    ['lint', 'oxlint'],
    ['import rules', 'node', 'checks/check-imports.ts'],
    ['types', 'tsc', '--noEmit', '-p', '.'],
    ['types of the console', 'tsc', '--noEmit', '-p', 'console'],
    ['dead code', 'knip'],
    ['generated files', 'node', 'scripts/generate.ts', '--check'],
    ['API description', 'redocly', 'lint', 'openapi.json'],
  ],
  [['unit tests', 'vitest', 'run', '--project', 'unit']],
] as const;

/** Turns off colours, because the output is stored and printed later, and the telemetry of the OpenAPI linter. */
const quiet = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const started = performance.now();
const results = (await Promise.all((values.static ? lanes.slice(0, 1) : lanes).map(runLane))).flat();
for (const { name, seconds, isOk, output } of results) {
  if (!isOk) console.log(output);
  console.log(`${isOk ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
}
const failed = results.filter(({ isOk }) => !isOk).length;
if (values.results !== undefined) {
  const written = results.map(({ name, seconds, isOk, output }) => ({
    name,
    passed: isOk,
    seconds,
    objections: isOk ? [] : [output],
  }));
  writeFileSync(values.results, JSON.stringify(written));
}
console.log(`check took ${((performance.now() - started) / 1000).toFixed(1)} s`);
process.exit(failed === 0 ? 0 : 1);

async function runLane(steps: readonly (readonly [string, string, ...string[]])[]) {
  const outcomes = [];
  for (const [name, command, ...args] of steps) outcomes.push(await runStep(name, command, args));
  return outcomes;
}

function runStep(name: string, command: string, args: string[]) {
  return new Promise<{ name: string; seconds: number; isOk: boolean; output: string }>((resolve) => {
    const begun = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...quiet } });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const end = (isOk: boolean) => resolve({ name, seconds: (performance.now() - begun) / 1000, isOk, output });
    child.once('error', (error) => {
      output += error.message;
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}
