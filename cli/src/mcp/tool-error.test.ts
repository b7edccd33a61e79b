import { AuthenticationError, InvalidRequestError, RateLimitError } from '@kinora/sdk';
import { expect, test } from 'vitest';
import { toolError } from './tool-error.ts';

const textOf = (error: unknown) => {
  const { content, isError } = toolError(error);
  expect(isError).toBe(true);
  const [block] = content;
  return block?.type === 'text' ? block.text : '';
};

test('every invalid field is named as the tool names it', () => {
  const details = [
    { param: 'duration', code: 'too_big', message: 'duration must be at most 10' },
    { param: 'image_url', code: 'invalid', message: 'image_url must be an https URL' },
  ];
  const text = textOf(new InvalidRequestError('2 problems', { details, requestId: 'req_1' }));
  expect(text).toContain('duration must be at most 10');
  expect(text).toContain('image must be an https URL');
  expect(text).not.toContain('image_url');
  expect(text).toContain('req_1');
});

test('an error contains advice for the user or the model, and never a stack', () => {
  expect(textOf(new AuthenticationError('This key has expired.'))).toContain('KINORA_API_KEY');
  expect(textOf(new RateLimitError('Too many requests.', { retryAfterSeconds: 7 }))).toContain('in 7 seconds');
  expect(textOf(new TypeError('something odd'))).toBe('something odd');
});
