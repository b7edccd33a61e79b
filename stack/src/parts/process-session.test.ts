import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../harness/test-folder.ts';
import { cpuSecondsOfSession, processesOfSession } from './process-session.ts';
import { signalProcess, startProcess, waitUntilGone } from './processes.ts';

test('the processes and the CPU time of a session still include the children after the session leader was killed', async () => {
  const leader = startProcess({
    name: 'leader',
    command: 'bash',
    arguments: ['-c', 'while :; do :; done & sleep 1000'],
    logPath: join(testFolder(onTestFinished), 'log'),
    detached: true,
  });
  try {
    while (processesOfSession(leader.pid).length < 3) await sleep(10);
    leader.kill('SIGKILL');
    await waitUntilGone(leader.pid);
    const children = processesOfSession(leader.pid);
    expect(children).toHaveLength(2);
    expect(children).not.toContain(leader.pid);
    const used = cpuSecondsOfSession(leader.pid);
    while (cpuSecondsOfSession(leader.pid) <= used + 0.05) await sleep(10);
  } finally {
    processesOfSession(leader.pid).forEach((pid) => signalProcess(pid, 'SIGKILL'));
  }
});
