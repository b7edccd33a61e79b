import { AppError } from '../../errors.ts';

/**
 * Returns the error for giving more power to somebody whom only the admin of another project has invited. That admin
 * may have opened the link, so the account must not pass for the owner of its address.
 */
export function unverifiedAddress(param: string): AppError {
  const message =
    'An admin of another project invited this person, and nobody has verified the e-mail address. Ask an operator to ' +
    'give the person a new link first.';
  return new AppError('invalid_parameter', { param, message });
}
