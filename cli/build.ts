// Bundles the command line into files that any Node 20 starts fast: what a command does not need is loaded by those that do.
import { readdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const { metafile } = await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['kinora-source'],
  minifySyntax: true,
  metafile: true,
  legalComments: 'none',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});

// What an earlier build left behind must not be published; what was just written may be in use already.
for (const name of await readdir('dist')) {
  if (!(`dist/${name}` in metafile.outputs)) await rm(`dist/${name}`, { recursive: true });
}
