/// <reference types="node" />
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { adviceFor } from './failure-advice.ts';

it('every documented code of a failed task has advice of its own', () => {
  const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const section = document.slice(
    document.indexOf('## Codes of failed tasks'),
    document.indexOf('## Codes of warnings'),
  );
  const codes = [...section.matchAll(/^#### (\w+)$/gm)].map(([, code]) => String(code));
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => adviceFor({ code, retryable: true }).title === 'The task failed')).toEqual([]);
});

it('a code that is not known yet still gets an advice', () => {
  expect(adviceFor({ code: 'a_new_code', retryable: true }).advice).toContain('may succeed');
  expect(adviceFor({ code: 'a_new_code', retryable: false }).advice).toContain('Change the request');
});
