import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { isStop } from './is-stop.ts';

test.each(['the user pressed stop', undefined])('a cancelled call means stop, with the reason %s', (reason) => {
  expect(isStop(AbortSignal.abort(reason))).toBe(true);
});

test.each([
  'SdkError: Request timed out',
  'McpError: MCP error -32001: Request timed out',
  'TimeoutError: timeout of 60 s',
  new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
])('%s does not: the task goes on', (reason) => {
  expect(isStop(AbortSignal.abort(reason))).toBe(false);
});

test('what was not aborted was not stopped', () => {
  expect(isStop(new AbortController().signal)).toBe(false);
});
