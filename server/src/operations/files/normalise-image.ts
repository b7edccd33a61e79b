import { AppError } from '../../errors.ts';
import type { Images } from '../../media/images.ts';

/** Checks and normalises a caller's image; what is wrong with it is said of the parameter that it came in. */
export async function normaliseImage(images: Images, bytes: Uint8Array, param: string) {
  try {
    return await images.normalise(bytes);
  } catch (error) {
    // The decoder does not know which parameter its bytes came from.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    throw new AppError(error.code, { param, message: error.message, cause: error });
  }
}

/** A store that is away refuses the request for now. */
export function storeIsAway(cause: unknown): never {
  throw new AppError('overloaded', { cause, retryAfterSeconds: 5 });
}
