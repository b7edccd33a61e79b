import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failpoint, failpointNames } from './failpoints.ts';

/** Runs the code in a process of its own, because a failpoint kills its process. */
function run(code: string) {
  const path = JSON.stringify(join(import.meta.dirname, 'failpoints.ts'));
  const program = `import { armFailpoints, failpoint } from ${path}; process.stdout.write('before '); ${code} process.stdout.write('after');`;
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return { signal, status, stdout, stderr };
}

describe('a failpoint', () => {
  it('a failpoint does nothing unless it is armed', () => {
    for (const name of failpointNames) failpoint(name);
    const { status, stdout } = run("armFailpoints(['after-begin']); failpoint('after-submit');");
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'before after' });
  });

  it('an armed failpoint prints its name and ends its process with SIGKILL', () => {
    const { signal, stdout, stderr } = run(
      "armFailpoints(['after-begin', 'after-submit']); failpoint('after-submit');",
    );
    expect(signal).toBe('SIGKILL');
    expect(stdout).not.toContain('after');
    const line: unknown = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(line).toMatchObject({
      event: 'failpoint.hit',
      failpoint: 'after-submit',
      pid: expect.any(Number),
      time: expect.any(String),
    });
  });
});
