import { execFileSync } from 'node:child_process';

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
const json = execFileSync('depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
});
// The tool's own output, of the version that is pinned.
const { summary } = JSON.parse(json) as { summary: { totalCruised: number; violations: Violation[] } };
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);
if (summary.totalCruised < fewestModules) {
  console.error(`only ${summary.totalCruised} modules were seen: the import check is blind`);
  process.exit(1);
}
console.log(`${summary.totalCruised} modules, ${summary.violations.length} violations of the import rules`);
process.exit(summary.violations.length === 0 ? 0 : 1);
