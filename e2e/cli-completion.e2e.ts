import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { folder, kinoraCommand } from './kinora-command.ts';
import { record } from './record-terminal.ts';

// Sets up each shell as cli/README.md describes, starts it in a terminal, and types into it.

const bin = join(folder, 'bin');
beforeAll(async () => {
  await mkdir(bin);
  await writeFile(join(bin, 'kinora'), `#!/bin/sh\nexec ${kinoraCommand.join(' ')} "$@"\n`);
  await chmod(join(bin, 'kinora'), 0o755);
  await writeFile(join(folder, 'photo.png'), '');
});

const shells = [
  {
    command: ['bash', '-i'],
    files: { '.bashrc': "PS1='ready> '\nsource <(kinora completion bash)\n" },
  },
  {
    command: ['zsh', '-i'],
    files: { '.zshrc': "PS1='ready> '\nautoload -Uz compinit && compinit\nsource <(kinora completion zsh)\n" },
  },
  {
    // Fish loads completions only when it needs them, so its own start can still write them.
    command: ['fish', '--init-command', 'kinora completion fish > ~/.config/fish/completions/kinora.fish'],
    files: {
      '.config/fish/config.fish': "set -g fish_greeting\nfunction fish_prompt; echo -n 'ready> '; end\n",
      '.config/fish/completions/none.fish': '', // this creates the folder, which fish itself creates only on first use
    },
  },
];

test.for(shells)('$command.0 completes commands, options, their values and files', async ({ command, files }) => {
  const home = join(folder, command[0] ?? '');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(home, name, '..'), { recursive: true });
    await writeFile(join(home, name), text);
  }
  const path = `${bin}:${process.env['PATH']}`;
  const terminal = record(command, { environment: { PATH: path, HOME: home, LANG: 'C.UTF-8' }, cwd: folder });
  await terminal.waitFor(/^ready>$/m);
  const completes = async (typed: string, line: string) => {
    terminal.press(`${typed}\t`);
    await terminal.waitFor(new RegExp(`^ready> ${line}$`, 'm'));
    terminal.press('\x15'); // Ctrl-U deletes the line
  };
  await completes('kinora mod', 'kinora models');
  await completes('kinora keys cr', 'kinora keys create');
  await completes('kinora webhooks rot', 'kinora webhooks rotate-secret');
  await completes('kinora list --sta', 'kinora list --status');
  await completes('kinora list --status comp', 'kinora list --status completed');
  await completes('kinora generate boat --image pho', 'kinora generate boat --image photo.png');
  terminal.press('kinora l\t\t');
  for (const name of ['list', 'limits', 'listen', 'login', 'logout']) {
    expect(await terminal.waitFor(new RegExp(`^${name}\\b|\\s${name}\\b`, 'm'))).toBeTruthy();
  }
});
