import { InvalidRequestError } from './errors.ts';
import type { File as UploadedFile } from './generated/types.ts';
import type { Http } from './http.ts';

/** An image: its bytes, an https or data URL, or the id of an uploaded file. */
export type ImageSource = Blob | ArrayBuffer | Uint8Array | URL | string;

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
  { preferInline, signal }: { preferInline: boolean; signal?: AbortSignal | undefined },
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
  return (await uploadImage(http, blob, signal)).id;
}

/** Uploads an image. Its id works as `image` in any number of creates for 24 hours. */
export async function uploadImage(
  http: Http,
  image: Exclude<ImageSource, URL | string>,
  signal?: AbortSignal,
): Promise<UploadedFile> {
  const blob = blobOf(image);
  const form = new FormData();
  form.set('file', blob, 'name' in blob && typeof blob.name === 'string' ? blob.name : 'image');
  // A retry may leave an unused second file, which is deleted within a day. That is better than giving up.
  return http.json<UploadedFile>({ method: 'POST', path: '/v1/files', body: form, signal, isRepeatable: true });
}

function blobOf(image: Exclude<ImageSource, URL | string>): Blob {
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
