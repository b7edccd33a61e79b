import { AppError, type ErrorCode, type ErrorDetail } from '../../errors.ts';

/** One thing that is wrong with a body: the code of the answer, and what `details` says of it. */
export interface Problem extends ErrorDetail {
  error: ErrorCode;
}

/** One answer for all problems; code, param and message are those of the first. */
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
