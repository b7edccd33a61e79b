import type { Experimental_VideoModelV4File } from '@ai-sdk/provider';

/** 10 MB: the client sends smaller images inside the request, so that a retry is identical. Larger ones it uploads. */
export const largestInlineBytes = 10_000_000;

/** Returns the URL or the bytes of an image. */
export function imageOf(file: Experimental_VideoModelV4File): string | Uint8Array {
  if (file.type === 'url') return file.url;
  if (typeof file.data !== 'string') return file.data;
  const binary = atob(file.data);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
