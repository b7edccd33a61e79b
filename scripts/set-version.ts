import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { versionPattern, withVersion } from './version-places.ts';

// `node scripts/set-version.ts 0.2.0` writes the version into packages, lockfile, chart, images and documents.

const root = resolve(import.meta.dirname, '..');
const [version = ''] = process.argv.slice(2);
if (!new RegExp(`^${versionPattern}$`).test(version)) {
  console.error('Name the version, such as 0.2.0 or 0.2.0-beta.1.');
  process.exit(2);
}
const paths = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  .trim()
  .split('\n');
for (const path of paths) {
  if (!/\.(json|md|ts|ya?ml|env)$|Dockerfile$/.test(path)) continue;
  const text = readFileSync(join(root, path), 'utf8');
  const replaced = withVersion(path, text, version);
  if (replaced === text) continue;
  writeFileSync(join(root, path), replaced);
  console.log(path);
}
