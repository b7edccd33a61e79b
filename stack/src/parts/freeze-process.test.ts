import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freezeProcess } from './freeze-process.ts';
import { readProcessStat } from './process-stat.ts';

test('a frozen process and its children stop, and go on when they are thawed', async () => {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [text] = await once(parent.stdout, 'data');
  const pids = [Number(parent.pid), Number(String(text))];
  const states = (): unknown[] => pids.map((pid) => readProcessStat(pid)?.state);
  try {
    const thaw = freezeProcess(Number(parent.pid));
    await expect.poll(states).toEqual(['T', 'T']);
    thaw();
    await expect.poll(states).toEqual(['S', 'S']);
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  }
});
