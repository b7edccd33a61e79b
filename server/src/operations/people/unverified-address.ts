import { AppError } from '../../errors.ts';

/** Refuses more power to somebody whom another project's admin invited: that admin may have opened the link. */
export function unverifiedAddress(param: string): AppError {
  const message =
    'An admin of another project invited this person, and nobody has verified the e-mail address. Ask an operator to ' +
    'give the person a new link first.';
  return new AppError('invalid_parameter', { param, message });
}
