import { execFileSync } from 'node:child_process';
import { countRooms, folderCycles } from './folder-cycles.ts';

/** If the tool sees fewer modules than this, it did not read our sources, and "no violations" would mean nothing. */
const fewestModules = 150;

interface Violation {
  rule: { name: string };
  from: string;
  to: string;
}

const folders = [
  'sdk/src',
  'cli/src',
  'console/src',
  'integrations/ai-sdk/src',
  'server/src',
  'animatic',
  'boxes',
  'settings',
  'stack',
  'scripts',
  'checks',
  'e2e',
  'proofs',
  'bench',
  'deploy',
];
/** Within these, the children of a folder (files and sub-folders) must not import each other in a cycle. */
const foldersWithoutCycles = [
  'server/src',
  'animatic/src',
  'boxes/src',
  'settings/src',
  'stack/src',
  'sdk/src',
  'cli/src',
  'console/src',
];
const json = execFileSync('depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
});
// This is the output format of the pinned version of the tool.
const { summary, modules } = JSON.parse(json) as {
  summary: { totalCruised: number; violations: Violation[] };
  modules: { source: string; dependencies: { resolved: string }[] }[];
};
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);

// Tests and fixtures may import anything, so they say nothing about how the sources depend on each other.
const sources = modules
  .filter(({ source }) => !/\.(test|contract|fixture)\.ts$/.test(source))
  .map(({ source, dependencies }) => ({ path: source, imports: dependencies.map(({ resolved }) => resolved) }));
const cycles = foldersWithoutCycles.flatMap((root) => folderCycles(root, sources));
for (const { folder, imports } of cycles) {
  console.error(`folder-cycle in ${folder}: ${imports.map(({ from, to }) => `${from} → ${to}`).join(', ')}`);
}

if (summary.totalCruised < fewestModules) {
  console.error(`the import check read only ${summary.totalCruised} modules, so its result means nothing`);
  process.exit(1);
}
for (const folder of ['server/src', 'server/src/db', 'console/src']) {
  const { rooms, arrows } = countRooms(folder, sources);
  console.log(`${folder}: ${rooms} rooms, ${arrows} arrows`);
}
const violations = summary.violations.length + cycles.length;
console.log(`${summary.totalCruised} modules, ${violations} violations of the import rules`);
process.exit(violations === 0 ? 0 : 1);
