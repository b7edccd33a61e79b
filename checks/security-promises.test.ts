import { expect, test } from 'vitest';
import { readPromises } from '../scripts/ci/promises.ts';
import { readText, repository } from './project-files.fixture.ts';

// Each line of SECURITY.md and the README must lead to docs/promises.md, so that neither promises what no test holds.

/** The subjects that are no promises against attackers. */
const notSecurity = ['Tasks', 'The API', 'Operation'];

const anchors = new Map(
  [...new Set(readPromises(repository).map(({ about }) => about))].map((about) => [anchorOf(about), about]),
);

test('every promise of SECURITY.md leads to a subject of docs/promises.md, and every subject about security is there', () => {
  const promises = bulletsOf(readText('SECURITY.md'), 'What Kinora promises');
  expect(promises.filter((bullet) => subjectsOf(bullet).length === 0)).toEqual([]);
  const named = promises.flatMap(subjectsOf);
  expect(named.toSorted()).toEqual([...anchors.values()].filter((about) => !notSecurity.includes(about)).toSorted());
});

test('the README promises at most five things, and each leads to a subject of docs/promises.md', () => {
  const [, table = ''] = /\n\| Reported [^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/.exec(readText('README.md')) ?? [];
  const rows = table.trim().split('\n');
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.length).toBeLessThanOrEqual(5);
  expect(rows.filter((row) => subjectsOf(row).length === 0)).toEqual([]);
});

test('a line that leads to no subject, and a bullet of another section, are told apart', () => {
  expect(subjectsOf('- Held ([URLs](docs/promises.md#urls)).')).toEqual(['URLs']);
  expect(subjectsOf('- Held ([URLs](docs/promises.md#none), [URLs](docs/promises.md)).')).toEqual([]);
  expect(bulletsOf('## A\n\n- One\n  held.\n- Two.\n\n## B\n\n- Three.', 'A')).toEqual(['- One held.', '- Two.']);
});

/** Returns the subjects of docs/promises.md that a line links to. */
function subjectsOf(line: string): string[] {
  return [...line.matchAll(/\(docs\/promises\.md#([\w-]+)\)/g)].flatMap(([, anchor = '']) => anchors.get(anchor) ?? []);
}

/** Returns the bullets of a section, each on one line. */
function bulletsOf(text: string, title: string): string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^- .*(?:\n {2}\S.*)*/gm)].map(([bullet]) => bullet.replaceAll(/\s+/g, ' '));
}

/** Returns the anchor that GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
