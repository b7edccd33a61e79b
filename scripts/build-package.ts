import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { thirdPartyLicences } from './third-party-licences.ts';

// Bundles the client package in the current folder together with its dependencies, so that it can be installed from a
// file. `npm run build -w kinora` and `npm run build -w @kinora/ai-sdk` run it. The SDK has no dependencies: it needs
// only the compiler.

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const sdkDeclarations = 'dist/kinora-sdk';

const { name } = JSON.parse(await readFile('package.json', 'utf8')) as { name: string };
if (name === 'kinora') {
  // Splitting lets a command load only the chunks it needs; the banner is for dependencies that call `require`.
  await bundle({
    entryPoints: ['src/main.ts'],
    splitting: true,
    platform: 'node',
    target: 'node20',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
} else if (name === '@kinora/ai-sdk') {
  await writeDeclarations();
  await bundle({ entryPoints: ['src/index.ts'], platform: 'neutral', target: 'es2022' });
} else {
  throw new Error(`${name} is not bundled`);
}

async function bundle(options: BuildOptions): Promise<void> {
  await mkdir('dist', { recursive: true });
  const { metafile } = await build({
    ...options,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    conditions: ['kinora-source'],
    minifySyntax: true,
    metafile: true,
    legalComments: 'none', // THIRD-PARTY-LICENSES.txt has them all
  });
  await writeFile('dist/THIRD-PARTY-LICENSES.txt', await thirdPartyLicences(metafile));
  // Files of an earlier build must not be published; the folder is not emptied, because new ones may be in use.
  for (const file of await readdir('dist')) {
    if (file.endsWith('.js') && !(`dist/${file}` in metafile.outputs)) await rm(`dist/${file}`);
  }
}

/** Writes the package's declarations and, beside them, those of the SDK, which a user of it may not have. */
async function writeDeclarations(): Promise<void> {
  await rm('dist', { recursive: true, force: true });
  const compile = (project: string, output: string) =>
    run('tsc', ['-p', project, '--emitDeclarationOnly', '--outDir', output]);
  await compile(`${root}/sdk/tsconfig.build.json`, sdkDeclarations);
  await compile('tsconfig.build.json', 'dist');
  for (const file of await readdir('dist')) {
    if (!file.endsWith('.d.ts')) continue;
    const text = await readFile(`dist/${file}`, 'utf8');
    await writeFile(`dist/${file}`, text.replaceAll("'@kinora/sdk'", "'./kinora-sdk/index.js'"));
  }
}
