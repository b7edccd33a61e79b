import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';

// Builds the packages for callers and writes each as a tarball that can be installed without a registry. Prints the
// tarballs as JSON with `--json`. The packages are not published, so this is the way to install them (docs/install.md).

const root = resolve(import.meta.dirname, '..');
const { output, json: isJson } = parseArgs({
  options: { output: { type: 'string', default: join(root, 'packages') }, json: { type: 'boolean', default: false } },
}).values;
// npm starts scripts in the root of the clone; a relative path is meant from where the user is.
const folder = resolve(process.env['INIT_CWD'] ?? '.', output);
await mkdir(folder, { recursive: true });
// With two versions of a package in the folder, `npm install *.tgz` would fail.
for (const file of await readdir(folder)) if (/^kinora-.*\.tgz$/.test(file)) await rm(join(folder, file));

const workspaces = ['sdk', 'cli', 'integrations/ai-sdk'].flatMap((workspace) => ['-w', workspace]);
// Our .npmrc turns scripts off, for the packages that we install. Here `prepack` must run: it builds the package.
const args = ['pack', '--json', '--ignore-scripts=false', '--pack-destination', folder, ...workspaces];
const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 10_000_000 });
const packed = JSON.parse(stdout) as { name: string; version: string; filename: string; size: number }[];

const tarballs = packed.map(({ name, version, filename }) => ({ name, version, path: join(folder, filename) }));
if (isJson) console.log(JSON.stringify(tarballs));
else {
  const shown = relative(process.env['INIT_CWD'] ?? '.', folder) || '.';
  for (const { filename, size } of packed) console.log(`${join(shown, filename)}  ${Math.ceil(size / 1000)} kB`);
  console.log(`\nInstall them in your own project, together or alone: npm install ${folder}/kinora-sdk-*.tgz`);
}
