import { type Promised, readPromises } from './ci/promises.ts';

/** Renders `docs/promises.md` from `docs/promises.json`. */
export function renderPromisesPage(root: string): string {
  const sections = Map.groupBy(readPromises(root), ({ about }) => about);
  return `# Promises and their checks

<!-- Generated from docs/promises.json by npm run fix. -->

Each promise names what holds it, and \`checks/promised-checks.test.ts\` fails if that does not exist. Every change must pass
the gate, \`.ci/run\`, which also fails if a check in a column "In the gate" did not run. The parts of the nightly run,
\`.ci/nightly\`, take longer and also judge times.

The gate judges order, counts and events, never how long something took. A proof is a long test that records what happened
to real processes, and a judge with its own tests checks the record. \`npm run prove -- NAME\` runs one proof as at night;
without a name it lists them. \`npm run mutants\` plants faults and shows that the gate finds each.

[Security](../SECURITY.md) sums up the promises against attackers and says what is not defended.
[performance.md](performance.md) has what creates, reads and tasks cost.

${[...sections].map(([about, promises]) => renderSection(about, promises)).join('\n')}`;
}

function renderSection(about: string, promises: readonly Promised[]): string {
  const inGate = promises.filter(({ gate }) => gate !== undefined);
  const tested = promises.filter(({ gate }) => gate === undefined);
  const tables = [
    inGate.length > 0 && `| Promise | In the gate | At night |\n|---|---|---|\n${inGate.map(rowOfGate).join('\n')}\n`,
    tested.length > 0 && `| Promise | Tests |\n|---|---|\n${tested.map(rowOfTests).join('\n')}\n`,
  ];
  return `## ${about}\n\n${tables.filter((table) => table !== false).join('\n')}`;
}

function rowOfGate({ promise, gate = [], night = [], tests = [] }: Promised): string {
  return `| ${promise} | ${renderChecks([...gate, ...tests])} | ${renderParts(night)} |`;
}

function rowOfTests({ promise, night = [], tests = [] }: Promised): string {
  const atNight = night.length > 0 ? `<br>At night: ${renderParts(night)}` : '';
  return `| ${promise} | ${renderChecks(tests)}${atNight} |`;
}

function renderParts(parts: readonly string[]): string {
  return parts.map((part) => `\`${part}\``).join(', ');
}

function renderChecks(checks: readonly string[]): string {
  return checks.map(linkTo).join('<br>');
}

function linkTo(check: string): string {
  const [path = '', ...titles] = check.split(' > ');
  const title = titles.length > 0 ? `: ${escapeMarkdown(titles.join(' > '))}` : '';
  if (path.startsWith('proofs/')) return `[${path}](../${path}/)${title}`;
  if (path.startsWith('simulation/')) return `[${path}](../${path}.ts)`;
  return `[${path.split('/').at(-1)}](../${path})${title}`;
}

/** Titles are plain text. */
function escapeMarkdown(title: string): string {
  return title.replaceAll(/[|<*`[\]]/g, String.raw`\$&`);
}
