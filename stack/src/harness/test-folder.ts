import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder that is deleted after the tests of a file; with `onTestFinished`, after one test. */
export function testFolder(onEnd: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'kinora-test-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
