import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { exitCodeHelp, exitCodes } from './exit-codes.ts';
import { environmentHelp } from './help-examples.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, 'main.ts');
const documentation = await readFile(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');

/** The long options of each command by its name, read from the program's own completion script. */
const options = new Map<string, Set<string>>();
beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['--conditions=kinora-source', main, 'completion', 'fish']);
  for (const [, line = '', rest = ''] of stdout.matchAll(/^complete -c kinora -n "__kinora_at '([^']*)'" (.*)$/gm)) {
    const name = `kinora${line.replaceAll('/', ' ')}`;
    const known = options.get(name) ?? new Set();
    const long = /^-l (\S+)/.exec(rest)?.[1];
    if (long) known.add(`--${long}`);
    options.set(name, known);
  }
});

/** Returns the text from a heading to the next heading. */
function section(title: string): string {
  const lines = documentation.split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === title && line.startsWith('#'));
  if (start < 0) return '';
  const length = lines.slice(start + 1).findIndex((line) => /^##+ /.test(line));
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** Returns the options that the tables of a section list. */
function documented(title: string): string[] {
  return section(title)
    .split('\n')
    .filter((line) => line.startsWith('| `-'))
    .flatMap((line) => line.match(/--[a-z-]+/)?.slice(0, 1) ?? []);
}

test('docs/cli.md lists every command with all its options, and none that does not exist', () => {
  expect(options.size).toBeGreaterThan(15);
  const globalOptions = options.get('kinora') ?? new Set<string>();
  expect(documented('For every command').sort()).toEqual([...globalOptions].sort());
  for (const [name, known] of options) {
    if (name === 'kinora') continue;
    expect(section(name), `docs/cli.md has no section "${name}"`).not.toBe('');
    const own = [...known].filter((option) => !globalOptions.has(option));
    expect({ name, options: documented(name).sort() }).toEqual({ name, options: own.sort() });
  }
  const titles = [...documentation.matchAll(/^##+ (kinora .*)$/gm)].map(([, title = '']) => title);
  expect(titles.filter((title) => !options.has(title))).toEqual([]);
});

test('docs/cli.md lists every exit code and no other', () => {
  const listed = [...section('Exit codes').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(exitCodes));
});

test('docs/cli.md lists every variable that the program reads, and no other', async () => {
  const files = (await readdir(import.meta.dirname, { recursive: true })).filter((name) => /(?<!test)\.ts$/.test(name));
  const sources = await Promise.all(files.map((name) => readFile(join(import.meta.dirname, name), 'utf8')));
  const read = sources.flatMap((text) =>
    [...text.matchAll(/env(?:ironment)?\['([A-Z_]+)'\]/g)].map(([, name]) => name),
  );
  const listed = [...section('Environment').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name = '']) => name);
  expect(new Set(listed)).toEqual(new Set(read));
});

test('kinora --help names every variable and every exit code that docs/cli.md lists', () => {
  const listed = [...section('Environment').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name = '']) => name);
  const named = [...environmentHelp.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name = '']) => name);
  expect(new Set(named)).toEqual(new Set(listed));
  const codes = [...exitCodeHelp.matchAll(/^ +(\d+) {2}/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(exitCodes));
});
