import { AppError } from '../../errors.ts';
import type { Images } from '../../media/images.ts';

/** Checks and normalises a caller's image. An error names the parameter that the image came in. */
export async function normaliseImage(images: Images, projectId: string, bytes: Uint8Array, param: string) {
  try {
    return await images.normalise(projectId, bytes);
  } catch (error) {
    // The decoder does not know which parameter its bytes came from.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    throw new AppError(error.code, { param, message: error.message, cause: error });
  }
}

/** Refuses the request for now, because the store is unavailable. */
export function refuseUnavailableStore(cause: unknown): never {
  throw new AppError('overloaded', { cause, retryAfterSeconds: 5 });
}
