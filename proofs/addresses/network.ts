import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The address at which the namespace's name server listens. */
export const nameServerAddress = '192.0.2.53';

/** Makes every address a local address of this namespace, and the proof's name server the only one. */
export function takeOverTheWorld(folder: string): void {
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo');
  run('ip', '-6', 'route', 'add', 'local', '::/0', 'dev', 'lo');
  const files = {
    'resolv.conf': `nameserver ${nameServerAddress}\nsearch corp.internal\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost ip6-localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    writeFileSync(path, content);
    if (existsSync(`/etc/${name}`)) run('mount', '--bind', path, `/etc/${name}`);
  }
}

function run(command: string, ...words: string[]): void {
  execFileSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}
