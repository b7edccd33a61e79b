import { expect, test } from 'vitest';
import { projectFiles, readText } from './project-files.fixture.ts';

/** The last migration from before these rules: until then nothing was released. */
const lastFree = '0023';

const rules: readonly (readonly [RegExp, string])[] = [
  [/create (unique )?index (?!concurrently)/, 'builds an index that keeps writes waiting: use concurrently'],
  [/add column[^,;]*not null(?![^,;]*default)/, 'adds a column that existing rows do not have: give it a default'],
  [
    /add column[^;]*?(default (?!now\()\w+\(|generated |serial\b)/,
    'rewrites a table: add the column without a default, and copy',
  ],
  [/alter (table \w+ alter |column )\w+ (set data )?type/, 'rewrites a table: add a column and copy'],
  [/set not null/, 'reads a whole table under a lock: add a check that is not valid, then validate it'],
  [
    /add (constraint|check|unique|primary|foreign)\b(?![^;]*(not valid|using index))/,
    'reads a whole table under a lock: add it as not valid',
  ],
  [
    /add column[^,;]*\b(references|unique|primary key|check)\b/,
    'reads a whole table under a lock: add the constraint by itself, as not valid',
  ],
  [
    /drop (table|column|function|sequence|default)\b|alter table \w+ drop (?!constraint|column)|rename /,
    'takes away what the version before uses: do it in a later version',
  ],
];

/** Returns why a migration would make others wait, or break the version before. What it creates itself is its own. */
function problemsOf(text: string): string[] {
  const statements = text.replaceAll(/--.*$/gm, '').toLowerCase();
  const own = Array.from(
    statements.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/g),
    ([, name]) => name,
  );
  const others = statements
    .split(';')
    .filter((one) => !own.some((name) => new RegExp(`\\bon ${name}\\b|table ${name}\\b`).test(one)));
  const found = rules.flatMap(([pattern, problem]) => (others.some((one) => pattern.test(one)) ? [problem] : []));
  const hasAge = /^-- works with: \d+\.\d+\.\d+$/m.test(text);
  return hasAge ? found : [...found, 'does not say "-- works with: <the oldest version that does>"'];
}

test('no migration makes queries wait or breaks the version before', () => {
  const later = projectFiles('server/src/db/migrations/*.sql').filter(
    (path) => (/\/(\d{4})-/.exec(path)?.[1] ?? '') > lastFree,
  );
  expect(later.flatMap((path) => problemsOf(readText(path)).map((problem) => `${path} ${problem}`))).toEqual([]);
});

const head = '-- works with: 0.1.0\n';

test.each([
  ['create index a on tasks (b);', 'builds an index'],
  ['alter table tasks add column a integer not null;', 'adds a column'],
  ['alter table tasks add column a uuid default gen_random_uuid();', 'rewrites a table'],
  ['alter table tasks add column a bigint generated always as identity;', 'rewrites a table'],
  ['alter table tasks add column a bigserial;', 'rewrites a table'],
  ['alter table tasks add column a uuid references projects (id);', 'reads a whole table'],
  ['alter table tasks add column a integer check (a > 0);', 'reads a whole table'],
  ['alter table tasks alter column a type bigint;', 'rewrites a table'],
  ['alter table tasks alter a type bigint;', 'rewrites a table'],
  ['alter table tasks alter column a set not null;', 'reads a whole table'],
  ['alter table tasks add constraint a check (b > 0);', 'reads a whole table'],
  ['alter table tasks add unique (a);', 'reads a whole table'],
  ['alter table tasks add foreign key (a) references projects (id);', 'reads a whole table'],
  ['alter table tasks drop column a;', 'takes away'],
  ['alter table tasks drop a;', 'takes away'],
  ['alter table tasks alter column a drop default;', 'takes away'],
  ['drop function admit_tasks (uuid);', 'takes away'],
])('%s is refused', (text, problem) => {
  expect(problemsOf(head + text)).toEqual([expect.stringContaining(problem)]);
});

test.each([
  'create index concurrently if not exists a on tasks (b);',
  'alter table tasks add column a integer;',
  'alter table tasks add column a integer not null default 0;',
  'alter table tasks add column a timestamptz not null default now();',
  'alter table tasks add constraint a check (b > 0) not valid;',
  'create table fresh (a integer not null); create index b on fresh (a);',
])('%s is allowed', (text) => {
  expect(problemsOf(head + text)).toEqual([]);
  expect(problemsOf(text)).toHaveLength(1);
});
