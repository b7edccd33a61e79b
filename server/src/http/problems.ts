import { AppError, type ErrorCode, type ErrorDetail } from '../errors.ts';

/** One problem of a request: the code of the error, and its entry in `details`. */
export interface Problem extends ErrorDetail {
  error: ErrorCode;
}

/** Returns one error for all problems; code, param and message are those of the first. */
export function refuseFor(problems: readonly [Problem, ...Problem[]]): AppError {
  const [first] = problems;
  const others = problems.length - 1;
  return new AppError(first.error, {
    message: others === 0 ? first.message : `${first.message} (and ${others} more: see details)`,
    param: first.param,
    details: problems.map(({ param, code, message, allowed }) => ({
      param,
      code,
      message,
      ...(allowed === undefined ? {} : { allowed }),
    })),
  });
}
