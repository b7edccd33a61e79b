import { InvalidRequestError } from './errors.ts';
import type { File as UploadedFile } from './generated/types.ts';
import type { Http } from './http.ts';

/** A picture: bytes in any wrapping, or where it lies: an https or data URL, or the id of an uploaded file. */
export type ImageSource = Blob | ArrayBuffer | Uint8Array | URL | string;

const allowed = 'image must be bytes (Blob, ArrayBuffer or Uint8Array), an https or data URL, or a file id.';

/** What the service takes inside a request. */
const largestInlineBytes = 10_000_000;

/**
 * What the service takes as `image_url`: bytes are uploaded first. The file of an upload lasts a day, an idempotency key a week;
 * where the same request must look the same when it is made again, bytes travel inside it, as far as they fit.
 */
export async function imageUrlOf(
  http: Http,
  image: ImageSource,
  { mustLookTheSame, signal }: { mustLookTheSame: boolean; signal?: AbortSignal | undefined },
): Promise<string> {
  if (typeof image === 'string' || image instanceof URL) {
    const address = String(image);
    if (/^(https?:|data:|file_)/.test(address)) return address;
    throw new InvalidRequestError(`${allowed} Read a local file into bytes first.`, { param: 'image' });
  }
  const blob = blobOf(image);
  if (mustLookTheSame && blob.size <= largestInlineBytes) {
    return `data:image/png;base64,${base64Of(new Uint8Array(await blob.arrayBuffer()))}`; // which kind it is, its content says
  }
  return (await uploadImage(http, blob, signal)).id;
}

/** Uploads a picture once; its id serves as `image` in any number of creates for 24 hours. */
export async function uploadImage(
  http: Http,
  image: Exclude<ImageSource, URL | string>,
  signal?: AbortSignal,
): Promise<UploadedFile> {
  const blob = blobOf(image);
  const form = new FormData();
  form.set('file', blob, 'name' in blob && typeof blob.name === 'string' ? blob.name : 'image');
  // Uploading twice makes a second file that nobody uses and that is deleted within a day: better than giving up.
  return http.json<UploadedFile>({ method: 'POST', path: '/v1/files', body: form, signal, isRepeatable: true });
}

function blobOf(image: Exclude<ImageSource, URL | string>): Blob {
  if (image instanceof Blob) return image;
  // Whoever writes JavaScript may hand over anything.
  if (!(image instanceof ArrayBuffer || ArrayBuffer.isView(image))) {
    throw new InvalidRequestError(allowed, { param: 'image' });
  }
  return new Blob([image as ArrayBuffer]); // bytes of any kind, but of no shared memory
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  const chunk = 8192; // a call takes only so many arguments
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
