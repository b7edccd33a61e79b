import { ConnectionError, InvalidRequestError, ServerError, type Task } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { InterruptedError, NoCredentialsError, UsageError } from '../exit-codes.ts';
import { describeError, errorAsJson } from './describe-error.ts';

test('text from the service cannot control the terminal', () => {
  const details = ['model', 'seed'].map((param) => ({
    param,
    message: `${param}\u001b]0;x\u0007 is\nwrong`,
    code: 'x',
  }));
  const error = new InvalidRequestError('wrong:\u001b[2J\u009b31m x\n', { details, requestId: 'req_1' });
  expect(describeError(error).split('\n')).toEqual([
    'wrong: [2J 31m x',
    '  model: model ]0;x is wrong',
    '  seed: seed ]0;x is wrong',
    '  (request req_1)',
  ]);
});

test.each([
  ['invalid_usage', new UsageError('Wrong.', ['line 1', 'line 2'])],
  ['no_credentials', new NoCredentialsError('None.')],
  ['connection_failed', new ConnectionError('Refused.')],
  ['http_502', new ServerError('Bad gateway.', { status: 502 })],
  [
    'invalid_parameter',
    new InvalidRequestError('Wrong.', { code: 'invalid_parameter', param: 'seed', requestId: 'req_1' }),
  ],
  ['ENOSPC', Object.assign(new Error('Full.'), { code: 'ENOSPC' })],
  ['unexpected_error', new Error('A\nsurprise.')],
  ['unexpected_error', 'a surprise'],
])('for other programs every error has the same fields, and the code %s', (code, error) => {
  const body = errorAsJson(error);
  expect(Object.keys(body)).toEqual(['error', 'request_id']);
  expect(Object.keys(body.error)).toEqual(['message', 'code', 'param', 'retryable', 'details']);
  expect(body.error.code).toBe(code);
  expect(body.error.message).not.toMatch(/\n|^$/);
});

test('for other programs an interrupted command names its task', () => {
  const task = { id: 'task_1' } as Task; // only passed on
  expect(errorAsJson(new InterruptedError('It keeps running.', task))).toMatchObject({
    error: { code: 'interrupted' },
    task,
  });
});
