import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

test('processes that look for ports at the same time get different ones', async () => {
  // Each looks at more ports than lie between the places where two of them begin, and holds its ports until the end.
  const script = `
    import { findFreePorts } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)};
    const ports = [];
    for (let count = 0; count < 100; count += 1) ports.push(await findFreePorts(1));
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const processes = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    return child;
  });
  const found = await Promise.all(processes.map(async ({ stdout }) => JSON.parse(String(await once(stdout, 'data')))));
  expect(found.map((ports) => ports.length)).toEqual([100, 100, 100, 100]);
  expect(new Set(found.flat()).size).toBe(400);
});
