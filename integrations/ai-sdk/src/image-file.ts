import type { Experimental_VideoModelV4File } from '@ai-sdk/provider';

/** Up to here the client puts an image into the request, which is then the same when it is sent again; beyond, it uploads it. */
export const largestInlineBytes = 10_000_000;

/** An image of a call: where it lies, or its bytes. */
export function imageOf(file: Experimental_VideoModelV4File): string | Uint8Array {
  if (file.type === 'url') return file.url;
  if (typeof file.data !== 'string') return file.data;
  const binary = atob(file.data);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
