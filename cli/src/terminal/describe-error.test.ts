import { InvalidRequestError } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { describeError } from './describe-error.ts';

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
