import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { renderAnimaticExample } from '../animatic/src/config.ts';
import { renderServerExample } from '../server/src/config/config.ts';
import { renderModelsSchema } from '../server/src/engines/models-file/models-file-schema.ts';
import { createRegistryLookUp, renderLockfile } from './complete-lockfile.ts';
import { renderApiPage } from './render-api-page.ts';
import { renderConfigurationPage } from './render-configuration-page.ts';
import { renderDoctorChecksPage } from './render-doctor-checks-page.ts';
import { renderErrorsPage } from './render-errors-page.ts';
import { renderLimitsPage } from './render-limits-page.ts';
import { renderLogsPage } from './render-logs-page.ts';
import { renderMcpSchemas } from './render-mcp-schemas.ts';
import { renderOpenapi } from './render-openapi.ts';
import { renderPromisesPage } from './render-promises-page.ts';
import { renderScalePage } from './render-scale-page.ts';
import { renderSdkTypes } from './render-sdk-types.ts';

// Writes every file that is generated from code. With --check it only reports which of them are out of date.
const isCheck = process.argv.includes('--check');
const generated = [
  { path: 'openapi.json', render: renderOpenapi },
  { path: 'sdk/src/generated/types.ts', render: renderSdkTypes },
  { path: 'cli/src/generated/contract.ts', render: renderMcpSchemas },
  { path: 'docs/api.md', render: async () => renderApiPage() },
  { path: 'docs/errors.md', render: async () => renderErrorsPage() },
  { path: 'docs/promises.md', render: async () => renderPromisesPage('.') },
  { path: 'docs/cli.md', render: renderCliPage },
  { path: 'docs/operations/configuration.md', render: async () => renderConfigurationPage() },
  { path: 'docs/operations/doctor-checks.md', render: async () => renderDoctorChecksPage() },
  { path: 'docs/operations/limits.md', render: async () => renderLimitsPage('.') },
  { path: 'docs/operations/logs.md', render: async () => renderLogsPage() },
  { path: 'docs/scale.md', render: async () => renderScalePage('.') },
  { path: 'deploy/models.schema.json', render: async () => renderModelsSchema() },
  { path: '.env.example', render: async () => renderEnvironmentExample() },
  // The check is offline, so that it gives the same result everywhere.
  { path: 'package-lock.json', render: async () => renderLockfile(isCheck ? null : await createRegistryLookUp()) },
  { path: 'predictors/wan/.cog/openapi_schema.json', render: renderPredictorSchema },
];
let stale = 0;
for (const { path, render } of generated) {
  const text = await render();
  if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
  if (!isCheck) await writeFile(path, text);
  stale += 1;
  console.log(isCheck ? `${path} is out of date: run npm run fix` : `${path} written`);
}
process.exit(isCheck && stale > 0 ? 1 : 0);

/** Renders the commands of `kinora`. The condition makes the command line import the sources of the SDK. */
async function renderCliPage(): Promise<string> {
  const words = ['--conditions=kinora-source', 'cli/src/print-reference.ts'];
  return (await promisify(execFile)(process.execPath, words)).stdout;
}

/** Renders the schema that a Cog server validates requests with, from the signature in run.py, without running it. */
async function renderPredictorSchema(): Promise<string> {
  return (await promisify(execFile)('python3', ['predictors/wan/make_schema.py'])).stdout;
}

/** Lists every setting of every program in one file, which all of the programs can use. */
function renderEnvironmentExample(): string {
  return `# Settings of Kinora. Settings that are commented out are optional and show their default, unless the text names another default.

# --- kinora-server: api, relay, worker, console ---

${renderServerExample()}
# --- kinora-animatic, the built-in engine. It also reads KINORA_LOG_LEVEL, KINORA_SCRATCH_FOLDER and KINORA_MINIMUM_ISOLATION. ---

${renderAnimaticExample()}`;
}
