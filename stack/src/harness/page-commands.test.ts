import { expect, test } from 'vitest';
import { namesOfPageCommands, readPageCommands } from './page-commands.ts';

test('commands inside a list lose the indentation of the list', () => {
  expect(readPageCommands('1. First:\n\n   ```sh one\n   if true; then\n     date\n   fi\n   ```\n', 'one')).toBe(
    'if true; then\n  date\nfi\n',
  );
});

test('commands that the page does not have are an error', () => {
  expect(() => readPageCommands('```sh one\ndate\n```\n', 'two')).toThrow('no commands named two');
});

test('a block that no test can run is an error', () => {
  expect(namesOfPageCommands('```sh one\ndate\n```\n\n   ```sh two\n   date\n   ```\n')).toEqual(['one', 'two']);
  expect(() => namesOfPageCommands('```sh\ndate\n```\n')).toThrow('cannot run');
  expect(() => namesOfPageCommands('```python one\nprint()\n```\n')).toThrow('cannot run');
});
