import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { type GenerationRequest, requestLimits } from '../../domain/generation-request.ts';
import { limits } from '../../domain/limits.ts';
import { contentKey } from '../../domain/object-key.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { TaskImage } from '../../domain/task.ts';
import { AppError, type ErrorCode, OutboundRefused, type RefusalReason } from '../../errors.ts';
import type { Images } from '../../media/images.ts';
import type { GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import type { Storage } from '../../storage/storage.ts';
import { fileLifetimeHours, isFileId } from './find-file.ts';
import { imageRefused, normaliseImage, refuseUnavailableStore } from './normalise-image.ts';

const megabytes = requestLimits.imageMegabytes;
export const fetchTimeoutMilliseconds = 10_000;
const maximumRedirects = 3;
/** About 21 kB/s. A server that stalls, or sends byte by byte, does not keep its place for the whole 10 s. */
export const fetchPace = { leastBytes: 64 * 1024, everyMilliseconds: 3_000 };
const busyRetrySeconds = limits.fetches.retryAfterSeconds;

interface Dependencies {
  db: Database;
  fetcher: GuardedFetcher;
  images: Images;
  storage: Storage;
  clock: Clock;
}

interface ImageInput {
  caller: ProjectMode;
  request: Pick<GenerationRequest, 'imageUrl' | 'imageFit'>;
  upload?: Uint8Array | undefined;
}

/** Stores a caller's image with the task: fetched or decoded once, normalised in a box (a sandboxed child process). */
export async function storeInputImage(
  dependencies: Dependencies,
  taskId: string,
  { caller, request: { imageUrl, imageFit: fit }, upload }: ImageInput,
): Promise<TaskImage | null> {
  if (imageUrl === null) return null;
  const { fetcher, images, storage } = dependencies;
  if (imageUrl.startsWith('file_')) return { ...(await copyFile(dependencies, taskId, caller, imageUrl)), fit };
  const bytes = upload ?? (/^data:/i.test(imageUrl) ? decodeDataUri(imageUrl) : await fetchImage(fetcher, imageUrl));
  const { sha256, width, height, ...image } = await normaliseImage(images, caller.projectId, bytes, 'image_url');
  const objectKey = contentKey(taskId, sha256, 'png');
  await storage.put(objectKey, image.bytes, image.contentType).catch(refuseUnavailableStore);
  return { objectKey, sha256, width, height, fit, sizeBytes: image.bytes.byteLength };
}

/** Copies an uploaded file to the task, so that the task does not depend on the file any more. */
async function copyFile({ db, storage, clock }: Dependencies, taskId: string, caller: ProjectMode, fileId: string) {
  const file = isFileId(fileId) ? await db.files.find(caller, fileId, clock.now()) : null;
  const bytes = file && (await storage.read(file.objectKey).catch(refuseUnavailableStore));
  if (!bytes) throw noSuchFile();
  const { sha256, width, height, contentType, sizeBytes } = file;
  const objectKey = contentKey(taskId, sha256, 'png');
  await storage.putStream(objectKey, bytes, { contentType, maxBytes: sizeBytes }).catch(refuseUnavailableStore);
  return { objectKey, sha256, width, height, sizeBytes };
}

function noSuchFile(): AppError {
  const param = 'image_url';
  const message = `image_url is not the id of a stored file. Files are kept for ${fileLifetimeHours} hours: upload it again with POST /v1/files.`;
  return new AppError('invalid_parameter', { param, message, details: [{ param, code: 'not_found', message }] });
}

function decodeDataUri(uri: string): Uint8Array {
  // The format was checked when the request was parsed. Four characters of base64 are three bytes.
  const base64 = uri.slice(uri.indexOf(',') + 1);
  if ((base64.length / 4) * 3 > megabytes.inline * 1_000_000 + 2) {
    throw imageRefused('image_too_large', 'image_url', {
      message: `An inline image must be at most ${megabytes.inline} MB. Upload it with POST /v1/files and send its id, or use an https URL.`,
    });
  }
  return Buffer.from(base64, 'base64');
}

async function fetchImage(fetcher: GuardedFetcher, url: string): Promise<Uint8Array> {
  try {
    const response = await fetcher.fetch(url, {
      maxBytes: megabytes.storedOrFetched * 1_000_000,
      timeoutMilliseconds: fetchTimeoutMilliseconds,
      pace: fetchPace,
      maxRedirects: maximumRedirects,
      headers: { accept: 'image/*' },
    });
    if (response.status !== 200) {
      throw imageRefused('image_unreachable', 'image_url', {
        message: `The image's server responded with status ${response.status}. Check that image_url opens without a login.`,
      });
    }
    return response.body;
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    const retryAfterSeconds = error.reason === 'address_busy' ? busyRetrySeconds : undefined;
    const code = codeOfRefusal[error.reason];
    const message = textOfRefusal[error.reason] ?? (code === 'image_unreachable' ? unreachable : undefined);
    const options = { message, retryAfterSeconds, cause: error };
    throw imageRefused(code, 'image_url', options);
  }
}

const unreachable = `The image could not be fetched. Check that image_url opens without a login, within ${fetchTimeoutMilliseconds / 1000} s.`;

/** Messages that are more precise than the text of the error code. */
const textOfRefusal: Partial<Record<RefusalReason, string>> = {
  port: 'image_url must use port 443 or 80, unless the operator allows others. Use such a URL, or POST /v1/files.',
  too_large: `The image at image_url must be at most ${megabytes.storedOrFetched} MB.`,
  too_slow: `The image's server sent less than ${fetchPace.leastBytes / 1024} KiB in ${fetchPace.everyMilliseconds / 1000} s. Use a faster server or POST /v1/files.`,
  address_busy: `Too many images are being fetched from the same server. Try again in ${busyRetrySeconds} s.`,
};

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
  too_slow: 'image_unreachable',
  address_busy: 'rate_limited',
  too_large: 'image_too_large',
  headers_too_large: 'image_unreachable',
  connection_failed: 'image_unreachable',
  bad_encoding: 'image_unreachable',
};
