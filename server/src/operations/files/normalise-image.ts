import { AppError, type ErrorCode } from '../../errors.ts';
import type { Images } from '../../media/images.ts';

/** Checks and normalises a caller's image. An error names the parameter that the image came in. */
export async function normaliseImage(images: Images, projectId: string, bytes: Uint8Array, param: string) {
  try {
    return await images.normalise(projectId, bytes);
  } catch (error) {
    // The decoder does not know which parameter its bytes came from.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    throw imageRefused(error.code, param, { message: error.message, cause: error });
  }
}

const detailCodes: Partial<Record<ErrorCode, string>> = {
  image_unreachable: 'unreachable',
  image_too_large: 'too_big',
  image_undecodable: 'malformed',
};

/** Returns the error of an image, with an entry in `details` like that of any other parameter. */
export function imageRefused(
  code: ErrorCode,
  param: string,
  options: { message?: string | undefined; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
): AppError {
  const { message } = new AppError(code, options);
  const allowed = code === 'image_unsupported_format' ? { allowed: ['jpeg', 'png', 'webp'] } : {};
  const details = [{ param, code: detailCodes[code] ?? 'not_allowed', message, ...allowed }];
  return new AppError(code, { ...options, param, details });
}

/** Refuses the request for now, because the store is unavailable. */
export function refuseUnavailableStore(cause: unknown): never {
  throw new AppError('overloaded', { cause, retryAfterSeconds: 5 });
}
