import {
  AuthenticationError,
  ConnectionError,
  type FailedTask,
  GoneError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TaskCancelledError,
  TaskFailedError,
} from '@kinora/sdk';
import { expect, test } from 'vitest';
import { exitCodeHelp, exitCodeOf, exitCodes, NoCredentialsError, UsageError } from './exit-codes.ts';

/** Only `error` is read. */
const failedTask = { error: { code: 'engine_crashed', message: 'It crashed.', retryable: true } } as FailedTask;

test.each([
  [1, new Error('a surprise')],
  [1, 'a surprise'],
  [2, new UsageError('')],
  [2, new InvalidRequestError('', { status: 400 })],
  [3, new TaskFailedError(failedTask)],
  [4, new TaskCancelledError(null)],
  [5, new NoCredentialsError('')],
  [5, new AuthenticationError('', { status: 401 })],
  [5, new PermissionError('', { status: 403 })],
  [6, new NotFoundError('', { status: 404 })],
  [6, new GoneError('', { status: 410 })],
  [7, new RateLimitError('', { status: 429, retryAfterSeconds: 1 })],
  [8, new ConnectionError('')],
  [8, new ServerError('', { status: 503 })],
])('%i is the exit code of %s', (code, error) => {
  expect(exitCodeOf(error)).toBe(code);
});

test('the help lists every exit code', () => {
  for (const code of Object.values(exitCodes)) expect(exitCodeHelp).toMatch(new RegExp(`(^| )${code} {2}`, 'm'));
});
