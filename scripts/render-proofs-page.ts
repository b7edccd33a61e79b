import { type Promised, readPromises } from './ci/promises.ts';

/** Renders `docs/proofs.md` from `docs/promises.json`. */
export function renderProofsPage(root: string): string {
  return `# Promises and their checks

<!-- Generated from docs/promises.json by npm run fix. -->

Each promise has a check in the gate, \`.ci/run\`, which every change must pass, and a part of the nightly run,
\`.ci/nightly\`, which takes longer and also judges times. All of them use real processes, and a real Postgres, Temporal and
S3 store where the promise needs them. A proof records what happened, and a judge with its own tests checks the record.

The gate judges order, counts and events, never how long something took. A promise about time is judged at night.
\`npm run prove -- NAME\` runs one proof as at night; without a name it lists them. \`npm run mutants\` plants faults and
shows that the gate finds each.

| Promise | In the gate | At night |
|---|---|---|
${readPromises(root).map(rowOf).join('\n')}

[SECURITY.md](../SECURITY.md) lists the promises against hostile tenants, URLs, images and engines, each with its test.
[performance.md](performance.md) has what creates, reads and tasks cost.
`;
}

function rowOf({ promise, gate, night }: Promised): string {
  return `| ${promise} | ${gate.map(linkTo).join('<br>')} | ${night.map((part) => `\`${part}\``).join(', ')} |`;
}

function linkTo(check: string): string {
  const [path = '', ...titles] = check.split(' > ');
  if (path.startsWith('proofs/')) return `[${path}](../${path}/)`;
  if (path.startsWith('simulation/')) return `[${path}](../${path}.ts)`;
  const file = path.split('/').at(-1) ?? path;
  return `[${file}](../${path})${titles.length > 0 ? `: ${titles.join(' > ')}` : ''}`;
}
