import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build, type Metafile, type Plugin } from 'esbuild';
import animaticPackage from '../animatic/package.json' with { type: 'json' };
import serverPackage from '../server/package.json' with { type: 'json' };
import { renderSoftwareBill } from './software-bill.ts';
import { type SourceMap, withoutPackages } from './source-maps.ts';
import { packagesInBundle, thirdPartyLicences } from './third-party-licences.ts';

// Writes the server with the console, and the animatic, for production to dist/server: compiled, with source maps and all
// that they need to run but Node. The folder can be moved or copied into an image. docs/operations/running.md describes its use. With
// `--only server` or `--only animatic` it has one of the two programs, as the images do.

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { output: { type: 'string', default: join(root, 'dist', 'server') }, only: { type: 'string' } },
});
const programs = { server: values.only !== 'animatic', animatic: values.only !== 'server' };
if (values.only !== undefined && programs.server && programs.animatic)
  throw new Error(`--only ${values.only}: unknown program. Use server or animatic.`);
// npm starts scripts in the root of the clone; a relative path is meant from where the user is.
const target = resolve(process.env['INIT_CWD'] ?? '.', values.output);
/** A build that fails leaves the last one as it is. */
const output = `${target}.new`;
/** Packages with native code, which must stay files of their own. All others are in the compiled code. */
const nativePackages = [...(programs.animatic ? ['@napi-rs/canvas'] : []), ...(programs.server ? ['sharp'] : [])];

/** Boxed programs may read the whole folder that they are in, so they have one of their own. */
const childrenFolder = 'children';
const children: Record<string, string> = {
  ...(programs.server ? { 'image-child': 'server/src/media/image-child.ts' } : {}),
  ...(programs.animatic ? { 'draw-child': 'animatic/src/draw-child.ts' } : {}),
};
const serverEntryPoints = {
  main: 'server/src/main.ts',
  // Loaded by path.
  'failure-converter': 'server/src/workflows/failure-converter.ts',
  'workflow-worker-thread': 'node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js',
};
const docsPackage = '@scalar/fastify-api-reference';

if (existsSync(target) && (await readdir(target)).length > 0 && !existsSync(join(target, 'THIRD-PARTY-LICENSES.txt')))
  throw new Error(`${target} is not empty and is not an earlier build. Choose another folder.`);
await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });
const metafiles = [
  await bundle(output, {
    ...(programs.animatic ? { animatic: 'animatic/src/main.ts' } : {}),
    ...(programs.server ? serverEntryPoints : {}),
  }),
  await bundle(join(output, childrenFolder), children),
  ...(programs.server ? [await buildConsole()] : []),
];
// Some packages state their licence in package.json only. Unlike the clients' packages, this folder is not published.
const bundled = { outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)) as Metafile['outputs'] };
const licences = await thirdPartyLicences(bundled, () => 'The package has no file with its licence.');
await writeFile(join(output, 'THIRD-PARTY-LICENSES.txt'), licences);
await writeFile(
  join(output, 'package.json'),
  `${JSON.stringify({ name: serverPackage.name, version: serverPackage.version, private: true, type: 'module' }, null, 2)}\n`,
);
await mkdir(join(output, 'bin'));
for (const program of ['kinora-media', 'kinora-ffmpeg'])
  await copyFile(join(root, '.tools/bin', program), join(output, 'bin', program));
if (programs.server) await addFilesOfServer();
/** Folders of packages that are copied as they are. */
const copied = new Set<string>(programs.server ? [join(root, 'node_modules', docsPackage)] : []);
for (const name of nativePackages) await copyPackage(name, join(root, 'package.json'));
const program = programs.server ? serverPackage : animaticPackage;
const bill = await renderSoftwareBill(program, [...(await packagesInBundle(bundled)), ...copied]);
await writeFile(join(output, 'software-bill.spdx.json'), bill);
await rm(target, { recursive: true, force: true });
await rename(output, target);

/** Adds what the server reads besides its code. */
async function addFilesOfServer(): Promise<void> {
  const workflows = [join(root, 'scripts/build-workflows.ts'), join(output, 'workflow-bundle.js')];
  await promisify(execFile)(process.execPath, workflows);
  // Temporal's worker looks for these beside its code.
  const architecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const temporalCore = join('releases', `${architecture}-unknown-linux-gnu`, 'index.node');
  await cp(join(root, 'node_modules/@temporalio/core-bridge', temporalCore), join(output, temporalCore));
  await copyFile(join(root, 'node_modules/source-map/lib/mappings.wasm'), join(output, 'mappings.wasm'));
  // The API reads the script of its reference from the package's file: see docs-script.ts.
  await cp(join(root, 'node_modules', docsPackage), join(output, 'node_modules', docsPackage), { recursive: true });
}

/** Builds the pages of the console, and returns which files of packages are in them. */
async function buildConsole(): Promise<Pick<Metafile, 'outputs'>> {
  const { build: buildPages } = await import('vite');
  // Its rules are part of every style sheet, which does not say so.
  const used = new Set([join(root, 'node_modules/tailwindcss/package.json')]);
  await buildPages({
    configFile: join(root, 'console/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(output, 'console'), emptyOutDir: true },
    plugins: [
      {
        name: 'packages of the console',
        generateBundle(_options, files) {
          for (const file of Object.values(files))
            for (const path of file.type === 'chunk' ? file.moduleIds : file.originalFileNames)
              used.add(resolve(root, 'console', path.replace(/\?.*$/, '')));
        },
      },
    ],
  });
  const inputs = [...used].filter((path) => existsSync(path)).map((path) => [path, { bytesInOutput: 1 }]);
  return { outputs: { console: { bytes: 0, inputs: Object.fromEntries(inputs), imports: [], exports: [] } } };
}

async function bundle(outdir: string, entryPoints: Record<string, string>): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    // A role loads only the chunks that it needs.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [...nativePackages, 'pg-native'],
    minifySyntax: true,
    // Node keeps the text of each module in memory.
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    legalComments: 'none', // THIRD-PARTY-LICENSES.txt has them all
    banner: {
      // What packages in CommonJS expect to find.
      js:
        "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url); " +
        'const __filename = import.meta.filename; const __dirname = import.meta.dirname;',
    },
    plugins: [filesByUrl(), temporalPackages()],
  });
  for (const file of await readdir(outdir)) {
    if (!file.endsWith('.map')) continue;
    const map = JSON.parse(await readFile(join(outdir, file), 'utf8')) as SourceMap;
    // Independent of where the output is.
    const sources = map.sources.map((path) => relative(root, resolve(outdir, path)));
    await writeFile(join(outdir, file), JSON.stringify(withoutPackages({ ...map, sources })));
  }
  return metafile;
}

/** Makes `new URL('…', import.meta.url)` true in the output: the file is an entry point above, or it is copied. */
function filesByUrl(): Plugin {
  const pattern = /new URL\('([^']+)', import\.meta\.url\)/g;
  return {
    name: 'files by URL',
    setup(building) {
      const entryPoints = new Set(Object.values(building.initialOptions.entryPoints as Record<string, string>));
      building.onLoad({ filter: /\/(animatic|boxes|server)\/src\/.*\.ts$/ }, async ({ path }) => {
        const contents = await readFile(path, 'utf8');
        const pathOf = (name: string): string => relative(root, resolve(dirname(path), name));
        const isChild = (name: string): boolean => Object.values(children).includes(pathOf(name));
        for (const [, name = ''] of contents.matchAll(pattern)) {
          if (isChild(name) || entryPoints.has(pathOf(name)) || pathOf(name) === '.tools/bin') continue;
          await cp(join(root, pathOf(name)), join(output, basename(name)), { recursive: true });
        }
        const replaced = contents.replaceAll(pattern, (_, name: string) => {
          const file = basename(name).replace(/\.ts$/, '.js');
          return `new URL('./${isChild(name) ? `${childrenFolder}/${file}` : file}', import.meta.url)`;
        });
        return { contents: replaced, loader: 'ts' };
      });
    },
  };
}

/** Leaves out what Temporal's packages never use here, most of all the bundler of workflows. */
function temporalPackages(): Plugin {
  const replace = (text: string, old: string, value: string): string => {
    if (!text.includes(old)) throw new Error(`@temporalio/worker has changed: there is no ${old}`);
    return text.replace(old, value);
  };
  return {
    name: "Temporal's packages",
    setup(building) {
      building.onResolve({ filter: /^(memfs|unionfs|webpack)$/ }, ({ path }) => ({ path, namespace: 'left out' }));
      // Of gRPC, the threads of workflows need one class only.
      building.onResolve({ filter: /^@grpc\/grpc-js$/ }, ({ importer }) =>
        importer.endsWith('/@temporalio/core-bridge/lib/errors.js')
          ? { path: join(root, 'node_modules/@grpc/grpc-js/build/src/metadata.js') }
          : null,
      );
      building.onLoad({ filter: /.*/, namespace: 'left out' }, () => ({ contents: '' }));
      building.onLoad({ filter: /@temporalio\/proto\/protos\/json-module\.js$/ }, async ({ path }) => ({
        contents: withParsedJson(await readFile(path, 'utf8')),
      }));
      building.onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/bundler\.js$/ }, async ({ path }) => ({
        contents: replace(await readFile(path, 'utf8'), "[require.resolve('../workflow-log-interceptor')]", '[]'),
      }));
      building.onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/threaded-vm\.js$/ }, async ({ path }) => ({
        contents: replace(
          await readFile(path, 'utf8'),
          "require.resolve('./workflow-worker-thread')",
          "require.resolve('./workflow-worker-thread.js')",
        ),
      }));
    },
  };
}

/** Makes Temporal's messages, without its cloud's, a JSON string, which Node reads faster and with less memory. */
function withParsedJson(module: string): string {
  const [, before = '', json = '', after = ''] = /^([^]*\.addJSON\()([^]*)(\);\s+\/\*\*[^]*)$/.exec(module) ?? [];
  const described = JSON.parse(json) as { temporal: { nested: { api: { nested: Record<string, object> } } } };
  delete described.temporal.nested.api.nested['cloud'];
  return `${before}JSON.parse(${JSON.stringify(JSON.stringify(described))})${after}`;
}

/** Copies an installed package and the packages that it needs on this machine. */
async function copyPackage(name: string, neededBy: string): Promise<void> {
  const manifest = findPackageJSON(name, neededBy);
  if (manifest === undefined) throw new Error(`${name} has no package.json`);
  const folder = dirname(manifest);
  if (copied.has(folder)) return;
  copied.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = createRequire(import.meta.url)(manifest) as {
    dependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };
  await cp(folder, join(output, relative(root, folder)), { recursive: true });
  // Of the optional ones, those for other platforms are not installed.
  const installed = Object.keys(optionalDependencies).filter((optional) =>
    existsSync(join(root, 'node_modules', optional)),
  );
  for (const needed of [...Object.keys(dependencies), ...installed]) await copyPackage(needed, manifest);
}
