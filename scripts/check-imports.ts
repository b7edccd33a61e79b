import { execFileSync } from 'node:child_process';
import { folderCycles } from './folder-cycles.ts';

/** Fewer modules than this means that the tool did not see the sources, and its silence would mean nothing. */
const fewestModules = 150;

interface Violation {
  rule: { name: string };
  from: string;
  to: string;
}

const folders = [
  'sdk/src',
  'cli/src',
  'integrations/ai-sdk/src',
  'server/src',
  'animatic',
  'boxes',
  'settings',
  'stack',
  'scripts',
  'e2e',
  'proofs',
  'bench',
];
/** In these no folder has children, files or sub-folders, that import each other in a circle. */
const foldersWithoutCycles = [
  'server/src',
  'animatic/src',
  'boxes/src',
  'settings/src',
  'stack/src',
  'sdk/src',
  'cli/src',
];
const json = execFileSync('depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
});
// The tool's own output, of the version that is pinned.
const { summary, modules } = JSON.parse(json) as {
  summary: { totalCruised: number; violations: Violation[] };
  modules: { source: string; dependencies: { resolved: string }[] }[];
};
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);

// What only tests use may import anything, so it says nothing about how the sources depend on each other.
const sources = modules
  .filter(({ source }) => !/\.(test|contract|fixture)\.ts$/.test(source))
  .map(({ source, dependencies }) => ({ path: source, imports: dependencies.map(({ resolved }) => resolved) }));
const cycles = foldersWithoutCycles.flatMap((root) => folderCycles(root, sources));
for (const { folder, imports } of cycles) {
  console.error(`folder-cycle in ${folder}: ${imports.map(({ from, to }) => `${from} → ${to}`).join(', ')}`);
}

if (summary.totalCruised < fewestModules) {
  console.error(`only ${summary.totalCruised} modules were seen: the import check is blind`);
  process.exit(1);
}
const violations = summary.violations.length + cycles.length;
console.log(`${summary.totalCruised} modules, ${violations} violations of the import rules`);
process.exit(violations === 0 ? 0 : 1);
