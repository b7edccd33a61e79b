import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { failureConverter } from './failure-converter.ts';

const encode = (error: unknown) => failureConverter.errorToFailure(error, defaultPayloadConverter);

test('Temporal gets the class and the code of an error and of its causes, never a text or a stack', () => {
  const cause = Object.assign(new TypeError('connect ECONNREFUSED 10.1.2.3:8188'), { code: 'ECONNREFUSED' });
  const failure = encode(new Error('cannot reach https://engine.internal/secret', { cause }));
  expect(failure).toMatchObject({
    message: 'Error',
    cause: { message: 'TypeError: ECONNREFUSED' },
  });
  expect(JSON.stringify(failure)).not.toMatch(/10\.1\.2\.3|internal|failure-converter/);
  expect(JSON.stringify(encode('https://engine.internal'))).not.toContain('internal');
  expect(JSON.stringify(encode({ url: 'https://engine.internal' }))).not.toContain('internal');
});

test('a failure that we make for Temporal keeps its text and its type', () => {
  const failure = encode(ApplicationFailure.retryable('the job was left running', 'LeftRunning'));
  expect(failure).toMatchObject({
    message: 'the job was left running',
    stackTrace: '',
    applicationFailureInfo: { type: 'LeftRunning' },
  });
});
