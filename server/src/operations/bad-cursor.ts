import { AppError } from '../errors.ts';

/** Returns the error for an `after` that is not the id of this, such as `an audit event`. */
export function badCursor(listed: string): AppError {
  const message = `after must be the id of ${listed}; use last_id of the previous page`;
  return new AppError('invalid_parameter', {
    message,
    param: 'after',
    details: [{ param: 'after', code: 'not_found', message }],
  });
}
