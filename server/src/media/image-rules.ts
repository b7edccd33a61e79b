/** The contract's image rules (2.2), shared by the server and the child that decodes. */
export const imageRules = {
  maxPixels: 40_000_000,
  minSidePixels: 300,
  maxSidePixels: 6000,
  minRatio: 0.4,
  maxRatio: 2.5,
} as const;

export type ImageFormat = 'jpeg' | 'png' | 'webp';
export type ImageRefusal =
  | 'image_unsupported_format'
  | 'image_bad_dimensions'
  | 'image_too_large'
  | 'image_undecodable';

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Detects the format from the first bytes; a name or a content type is ignored. */
export function sniffImageFormat(bytes: Uint8Array): ImageFormat | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16));
  if (head.subarray(0, 8).equals(pngSignature)) return 'png';
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'jpeg';
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return null;
}

/** Returns what is wrong with the size of an upright image, from its header alone, or null. */
export function refuseDimensions(width: number, height: number): ImageRefusal | null {
  if (width * height > imageRules.maxPixels) return 'image_too_large';
  const ratio = width / height;
  const fits =
    Math.min(width, height) >= imageRules.minSidePixels &&
    Math.max(width, height) <= imageRules.maxSidePixels &&
    ratio >= imageRules.minRatio &&
    ratio <= imageRules.maxRatio;
  return fits ? null : 'image_bad_dimensions';
}

/** The part of an image's header that decides how much memory a decoder needs. */
interface DecodingNeeds {
  format: ImageFormat;
  width: number;
  height: number;
  channels: number;
  bytesPerSample: number;
  /** A progressive JPEG or an interlaced PNG: no line is ready before the last byte is read. */
  isProgressive: boolean;
  /** Turned by 90°: no line is ready before the whole image is. */
  isTurned: boolean;
}

/** Together with the process itself, decoding stays below 512 MB; the proof `media` measures it. */
const maxDecodingBytes = 400 * 1024 * 1024;

/** Returns whether decoding would take more memory than a decoder has. Only a few kinds above 30 megapixels do. */
export function isTooMuchToDecode(needs: DecodingNeeds): boolean {
  const { format, width, height, channels, bytesPerSample, isProgressive, isTurned } = needs;
  // A WebP is decoded as a whole into four channels, next to a buffer of the same size.
  const heldBytes = {
    webp: 8,
    jpeg: isProgressive ? channels * 2 : 0,
    png: isProgressive ? channels * bytesPerSample : 0,
  }[format];
  const turnedBytes = isTurned ? (format === 'webp' ? 4 : channels * bytesPerSample) : 0;
  return width * height * (heldBytes + turnedBytes) > maxDecodingBytes;
}

/** Reads the size from a PNG's first chunk; returns null if it is not a PNG. */
export function readPngSize(bytes: Uint8Array): { width: number; height: number } | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 24));
  if (head.length < 24 || sniffImageFormat(head) !== 'png') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}
