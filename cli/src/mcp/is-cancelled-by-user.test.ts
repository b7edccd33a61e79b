import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { isCancelledByUser } from './is-cancelled-by-user.ts';

test.each(['the user pressed stop', undefined])(
  'a call that the user cancelled stops the task, with the reason %s',
  (reason) => {
    expect(isCancelledByUser(AbortSignal.abort(reason))).toBe(true);
  },
);

test.each([
  'SdkError: Request timed out',
  'McpError: MCP error -32001: Request timed out',
  'TimeoutError: timeout of 60 s',
  new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
])('a call aborted by "%s" does not stop the task', (reason) => {
  expect(isCancelledByUser(AbortSignal.abort(reason))).toBe(false);
});

test('a call that was not aborted does not stop the task', () => {
  expect(isCancelledByUser(new AbortController().signal)).toBe(false);
});
