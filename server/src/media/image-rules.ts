/** The contract's image rules (2.2), in one place for us and for the child that decodes. */
export const imageRules = {
  maxSizeBytes: 20_000_000,
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

/** What the first bytes say it is; a name or a content type has no say. */
export function sniffImageFormat(bytes: Uint8Array): ImageFormat | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16));
  if (head.subarray(0, 8).equals(pngSignature)) return 'png';
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'jpeg';
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return null;
}

/** What is wrong with an upright image of this size, from its header alone. */
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

/** Reads the size from a PNG's first chunk; null if it is no PNG. */
export function readPngSize(bytes: Uint8Array): { width: number; height: number } | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 24));
  if (head.length < 24 || sniffImageFormat(head) !== 'png') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}
