import type { ImageFit } from '../domain/generation-request.ts';
import { contentKey } from '../domain/object-key.ts';
import type { TaskImage } from '../domain/task.ts';
import { AppError, type ErrorCode, OutboundRefused, type RefusalReason } from '../errors.ts';
import type { Images } from '../media/images.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import type { Storage } from '../storage/storage.ts';

const maximumInlineBytes = 10 * 1024 * 1024;
const maximumFetchedBytes = 20 * 1024 * 1024;
const fetchTimeoutMilliseconds = 10_000;
const maximumRedirects = 3;

interface Dependencies {
  fetcher: GuardedFetcher;
  images: Images;
  storage: Storage;
}

/** Takes a caller's image in, once: fetched or decoded, normalised in a box, and kept with the task. */
export async function takeImage(
  { fetcher, images, storage }: Dependencies,
  taskId: string,
  imageUrl: string,
  fit: ImageFit,
): Promise<TaskImage> {
  const bytes = /^data:/i.test(imageUrl) ? decodeDataUri(imageUrl) : await fetchImage(fetcher, imageUrl);
  const image = await images.intake(bytes).catch((error: unknown) => {
    // The decoder does not know which parameter its bytes came from.
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    throw new AppError(error.code, { param: 'image_url', message: error.message, cause: error });
  });
  const objectKey = contentKey(taskId, image.sha256, 'png');
  try {
    await storage.put(objectKey, image.bytes, image.contentType);
  } catch (error) {
    throw new AppError('overloaded', { cause: error, retryAfterSeconds: 5 });
  }
  return { objectKey, sha256: image.sha256, width: image.width, height: image.height, fit };
}

function decodeDataUri(uri: string): Uint8Array {
  // Its shape was checked when the request was parsed. Four characters of base64 are three bytes.
  const base64 = uri.slice(uri.indexOf(',') + 1);
  if ((base64.length / 4) * 3 > maximumInlineBytes + 2) {
    throw new AppError('image_too_large', {
      param: 'image_url',
      message: 'An inline image may have at most 10 MB. Use an https URL.',
    });
  }
  return Buffer.from(base64, 'base64');
}

async function fetchImage(fetcher: GuardedFetcher, url: string): Promise<Uint8Array> {
  try {
    const response = await fetcher.fetch(url, {
      maxBytes: maximumFetchedBytes,
      timeoutMilliseconds: fetchTimeoutMilliseconds,
      maxRedirects: maximumRedirects,
      headers: { accept: 'image/*' },
    });
    if (response.status !== 200) {
      throw new AppError('image_unreachable', {
        param: 'image_url',
        message: `The image's server answered with status ${response.status}. Check that image_url opens without a login.`,
      });
    }
    return response.body;
  } catch (error) {
    if (error instanceof OutboundRefused)
      throw new AppError(codeOfRefusal[error.reason], { param: 'image_url', cause: error });
    throw error;
  }
}

const codeOfRefusal: Record<RefusalReason, ErrorCode> = {
  bad_url: 'invalid_parameter',
  scheme: 'invalid_parameter',
  credentials: 'invalid_parameter',
  port: 'image_forbidden_address',
  forbidden_address: 'image_forbidden_address',
  unresolvable: 'image_unreachable',
  too_many_redirects: 'image_unreachable',
  bad_redirect: 'image_unreachable',
  timeout: 'image_unreachable',
  too_large: 'image_too_large',
  headers_too_large: 'image_unreachable',
  connection_failed: 'image_unreachable',
  bad_encoding: 'image_unreachable',
};
