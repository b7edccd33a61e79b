import { describe, expect, it } from 'vitest';
import { AppError, InputRejected, OutboundRefused, OutputInvalid, SubmitRefused } from './errors.ts';

describe('an error that callers may see', () => {
  it('has the status and text of its code, and does not reveal its cause', () => {
    const cause = new Error('/var/lib/secret: permission denied');
    const error = new AppError('overloaded', { cause, retryAfterSeconds: 3 });
    expect(error).toMatchObject({
      code: 'overloaded',
      status: 503,
      param: null,
      details: [],
      retryAfterSeconds: 3,
      cause,
    });
    expect(error.message).toBe('The service is temporarily unavailable. Try again shortly.');
    expect(JSON.stringify({ ...error, cause: undefined })).not.toContain('secret');
  });

  it('may have a more helpful text than that of its code', () => {
    const error = new AppError('invalid_parameter', { message: 'duration must be at most 10', param: 'duration' });
    expect(error).toMatchObject({ message: 'duration must be at most 10', param: 'duration', status: 400 });
  });

  it('is identified by its class, never by its text', () => {
    const errors = [
      new AppError('not_found'),
      new SubmitRefused('busy'),
      new InputRejected('no'),
      new OutputInvalid('broken'),
      new OutboundRefused('timeout'),
    ];
    expect(errors.map((error) => error.name)).toEqual([
      'AppError',
      'SubmitRefused',
      'InputRejected',
      'OutputInvalid',
      'OutboundRefused',
    ]);
    for (const error of errors) expect(error).toBeInstanceOf(Error);
  });

  it('an error of an outbound request contains neither an address nor a URL', () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.1:443');
    const error = new OutboundRefused('connection_failed', { cause });
    expect(error.message).not.toMatch(/\d/);
    expect(error.cause).toBe(cause);
  });
});
