// Bundles the CLI for Node 20. Splitting keeps the start fast: a command loads only the chunks that it needs.
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

// Files of an earlier build must not be published. The folder is not emptied, because the new files may be in use
// already.
for (const name of await readdir('dist')) {
  if (!(`dist/${name}` in metafile.outputs)) await rm(`dist/${name}`, { recursive: true });
}
