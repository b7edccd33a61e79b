import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { renderCompletion } from './render-completion.ts';

const run = promisify(execFile);

const program = new Command('kinora').version('1.0.0').option('--json', 'for programs');
program
  .command('list')
  .description("the newest tasks, and what 'new' means")
  .addOption(new Option('--status <status>', 'only these').choices(['queued', 'completed']))
  .option('-n, --limit <number>', 'how many');
program.command('limits').description('what may be done');
const keys = program.command('keys').description('the keys');
keys.command('list').description('every key').option('--revoked', 'these too');
keys.command('create').description('a new key').argument('<name>');

/** Returns what bash offers while the last word is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const complete = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kinora; printf "%s\\n" "${COMPREPLY[@]}"';
  const script = `${renderCompletion(program, 'bash')}\n${complete}`;
  const { stdout } = await run('bash', ['--norc', '-uc', script, 'bash', 'kinora', ...words]);
  return stdout.split('\n').filter((line) => line !== '');
}

test.each<[string[], string[]]>([
  [[''], ['list', 'limits', 'keys']],
  [['li'], ['list', 'limits']],
  [['--'], ['--version', '--json', '--help']],
  [
    ['keys', ''],
    ['list', 'create'],
  ],
  [['--json', 'keys', 'cr'], ['create']],
  [
    ['list', '--'],
    ['--status', '--limit', '--json', '--help'],
  ],
  [['keys', 'list', '--r'], ['--revoked']],
  [
    ['list', '--status', ''],
    ['queued', 'completed'],
  ],
  [['list', '--status', 'comp'], ['completed']],
  [
    ['list', '--status', '='],
    ['queued', 'completed'],
  ],
  [['list', '--status', '=', 'q'], ['queued']],
])('bash offers the words that fit after %j', async (words, expected) => {
  expect(await offered(...words)).toEqual(expected);
});

test.each([[['list', '-n', '']], [['keys', 'create', 'li']], [['list', '']]])(
  'bash completes file names after %j',
  async (words) => {
    expect(await offered(...words)).toEqual([]);
  },
);

test('the scripts for zsh and fish list every command and option, and quote the descriptions', () => {
  const zsh = renderCompletion(program, 'zsh');
  expect(zsh).toContain("'list:the newest tasks, and what '\\''new'\\'' means'");
  expect(zsh).toContain("('/list --limit' | '/list -n') _files ;;");
  expect(zsh).toContain('compadd -- queued completed ;;');
  const fish = renderCompletion(program, 'fish').split('\n');
  expect(fish).toContain(
    `complete -c kinora -n "__kinora_at ''" -f -a list -d 'the newest tasks, and what \\'new\\' means'`,
  );
  expect(fish).toContain(
    `complete -c kinora -n "__kinora_at '/list'" -l status -x -a 'queued completed' -d 'only these'`,
  );
  expect(fish).toContain(`complete -c kinora -n "__kinora_at '/keys/list'" -l revoked -d 'these too'`);
});
