import { expect, test } from 'vitest';
import { projectFiles, readText } from './project-files.fixture.ts';

// The code that sends a key in a header was once written nine times. Now all of it uses the client of the harness.

/** Files that test the header itself, or another client's header. There may be at most six. */
const testsOfTheHeader = [
  'e2e/files.e2e.ts',
  'e2e/keys.e2e.ts',
  'e2e/sdk-browser.e2e.ts',
  'e2e/secured-temporal.ts',
  'proofs/authorisation/malformed-headers.ts',
  'proofs/fuzz/raw-cases.ts',
];

test("only the harness's API client and the tests of the header mention Authorization", () => {
  const folders = ['stack', 'e2e', 'proofs', 'bench'];
  const files = projectFiles(...folders).filter((path) => path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(100);
  const mentioning = files.filter((path) => /\bauthorization\b/i.test(readText(path)));
  expect(mentioning.toSorted()).toEqual([...testsOfTheHeader, 'stack/src/harness/api-client.ts'].toSorted());
  expect(testsOfTheHeader.length).toBeLessThanOrEqual(6);
});
