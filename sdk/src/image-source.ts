import { InvalidRequestError } from './errors.ts';
import type { File as UploadedFile } from './generated/types.ts';
import type { Http, HttpRequest, RequestOptions } from './http.ts';
import type { ResponsePromise } from './response-promise.ts';

/** The bytes of an image. */
export type ImageBytes = Blob | ArrayBuffer | Uint8Array;
/** An image: its bytes, an https or data URL, or the id of an uploaded file. */
export type ImageSource = ImageBytes | URL | string;

const allowed = 'image must be bytes (Blob, ArrayBuffer or Uint8Array), an https or data URL, or a file id.';

/** 10 MB: the largest image that the service accepts inside a request. */
const largestInlineBytes = 10_000_000;

/**
 * Returns the `image_url` for a request; bytes are uploaded first. With `preferInline`, bytes of up to 10 MB become a
 * data URL instead, so that the same call always makes the same request: an upload would give it another file id each
 * time, and would expire after a day, while an idempotency key is valid for a week.
 */
export async function imageUrlOf(
  http: Http,
  image: ImageSource,
  { preferInline, ...options }: RequestOptions & { preferInline: boolean },
): Promise<string> {
  if (typeof image === 'string' || image instanceof URL) {
    const address = String(image);
    if (/^(https?:|data:|file_)/.test(address)) return address;
    throw new InvalidRequestError(`${allowed} Read a local file into bytes first.`, { param: 'image' });
  }
  const blob = blobOf(image);
  if (preferInline && blob.size <= largestInlineBytes) {
    // The service detects the format from the content, not from this media type.
    return `data:image/png;base64,${base64Of(new Uint8Array(await blob.arrayBuffer()))}`;
  }
  return (await uploadImage(http, blob, options)).id;
}

/** Uploads an image. Its id works as `image` in any number of creates for 24 hours. */
export function uploadImage(http: Http, image: ImageBytes, options: RequestOptions): ResponsePromise<UploadedFile> {
  return http.json<UploadedFile>(uploadOf(image, options));
}

async function uploadOf(image: ImageBytes, options: RequestOptions): Promise<HttpRequest> {
  const blob = blobOf(image);
  const body = new FormData();
  body.set('file', blob, 'name' in blob && typeof blob.name === 'string' ? blob.name : 'image');
  // A retry may leave an unused second file, which is deleted within a day. That is better than giving up.
  return { ...options, method: 'POST', path: '/v1/files', body, isRepeatable: true };
}

function blobOf(image: ImageBytes): Blob {
  if (image instanceof Blob) return image;
  // JavaScript callers may pass anything.
  if (!(image instanceof ArrayBuffer || ArrayBuffer.isView(image))) {
    throw new InvalidRequestError(allowed, { param: 'image' });
  }
  return new Blob([image as ArrayBuffer]); // the type excludes views of shared memory
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  const chunk = 8192; // engines limit the number of arguments of one call
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
