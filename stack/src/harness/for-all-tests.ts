import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** Makes something before the tests of a file or a group and closes it after them. Only tests and hooks can use it. */
export function forAllTests<Made extends object>(make: () => Promise<Made>, close: (made: Made) => unknown): Made {
  const made = {} as Made; // filled before the first test
  let isMade = false;
  beforeAll(async () => {
    Object.assign(made, await make());
    isMade = true;
  });
  afterAll(() => (isMade ? close(made) : undefined));
  return made;
}

/** Makes something before each test and closes it after the test. Only tests and hooks can use it. */
export function forEachTest<Made extends object>(make: () => Promise<Made>, close: (made: Made) => unknown): Made {
  const current = {} as Made; // filled before each test
  beforeEach(async () => {
    const made = await make();
    Object.assign(current, made);
    onTestFinished(async () => void (await close(made)));
  });
  return current;
}
