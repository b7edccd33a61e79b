import { readFile, writeFile } from 'node:fs/promises';
import { renderEnvironmentExample } from '../server/src/config.ts';
import { renderLockfile } from './complete-lockfile.ts';
import { renderOpenapi } from './render-openapi.ts';

// Writes every file that follows from code; with --check it only says which of them are stale.
const generated = [
  { path: 'openapi.json', render: renderOpenapi },
  { path: '.env.example', render: async () => renderEnvironmentExample() },
  { path: 'package-lock.json', render: renderLockfile },
];
const isCheck = process.argv.includes('--check');
let stale = 0;
for (const { path, render } of generated) {
  const text = await render();
  if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
  if (!isCheck) await writeFile(path, text);
  stale += 1;
  console.log(isCheck ? `${path} is not what the code says: run npm run fix` : `${path} written`);
}
process.exit(isCheck && stale > 0 ? 1 : 0);
