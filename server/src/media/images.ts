import { createHash } from 'node:crypto';
import { requestLimits } from '../domain/generation-request.ts';
import { AppError, refusalOfWait } from '../errors.ts';
import type { ImageMessage } from './image-messages.ts';
import { createImagePool, ImageChildLost } from './image-pool.ts';
import { type ImageRefusal, imageRules, readPngSize, refuseDimensions, sniffImageFormat } from './image-rules.ts';

interface NormalisedImage {
  bytes: Uint8Array;
  contentType: 'image/png';
  width: number;
  height: number;
  /** The digest of the normalised bytes: the same upload gives the same digest. */
  sha256: string;
}

export interface Images {
  /**
   * Turns untrusted bytes into an upright sRGB PNG without metadata: alpha on white, the first frame of an animation. A
   * project's images wait only for each other. Throws AppError image_unsupported_format | image_bad_dimensions |
   * image_too_large | image_undecodable, or rate_limited | overloaded if the image would wait too long.
   */
  normalise(projectId: string, bytes: Uint8Array): Promise<NormalisedImage>;
  /** Fits a normalised image to exactly width×height by crop, pad (black bars) or stretch, and returns a PNG. */
  fit(
    projectId: string,
    image: Uint8Array,
    target: { width: number; height: number; fit: 'crop' | 'pad' | 'stretch' },
  ): Promise<Uint8Array>;
  /** Ends the children; requests under way fail. */
  close(): Promise<void>;
}

const retryAfterSeconds = 5;
const maxMegabytes = requestLimits.imageMegabytes.storedOrFetched;
const tooManyBytes = `The image must be at most ${maxMegabytes} MB.`;

/** Processes images in boxed children: no image is decoded in the server's own process. */
export function createImages(parts: Parameters<typeof createImagePool>[0]): Images {
  const pool = createImagePool(parts);

  return {
    async normalise(projectId, bytes) {
      if (bytes.byteLength > maxMegabytes * 1_000_000) throw new AppError('image_too_large', { message: tooManyBytes });
      // Checked here to spare a child the work. The child checks again, because only the format that it decodes counts.
      if (!sniffImageFormat(bytes)) throw new AppError('image_unsupported_format');
      const message = await pool.request(projectId, { kind: 'normalise' }, bytes).catch((cause: unknown) => {
        if (cause instanceof ImageChildLost) throw new AppError('image_undecodable', { cause });
        throw refusalOfWait(cause, {
          retryAfterSeconds,
          message: `Too many images of this project are waiting to be decoded. Try again in ${retryAfterSeconds} s.`,
        });
      });
      const refusal = readRefusal(message);
      if (refusal) throw new AppError(refusal, { message: describe(refusal, message) });
      const size = readPngSize(message.payload);
      // A child that an image has compromised could send anything.
      if (!size || refuseDimensions(size.width, size.height)) throw new AppError('image_undecodable');
      const sha256 = createHash('sha256').update(message.payload).digest('hex');
      return { bytes: message.payload, contentType: 'image/png', ...size, sha256 };
    },

    async fit(projectId, image, target) {
      const message = await pool.request(projectId, { kind: 'fit', ...target }, image);
      const size = readPngSize(message.payload);
      if (size?.width !== target.width || size.height !== target.height) {
        throw new Error('a normalised image could not be fitted', { cause: readRefusal(message) });
      }
      return message.payload;
    },

    close: () => pool.close(),
  };
}

const refusals: readonly ImageRefusal[] = [
  'image_unsupported_format',
  'image_bad_dimensions',
  'image_too_large',
  'image_undecodable',
];

function readRefusal({ header }: ImageMessage): ImageRefusal | null {
  if (typeof header !== 'object' || header === null || !('kind' in header)) return 'image_undecodable';
  if (header.kind === 'done') return null;
  return ('code' in header && refusals.find((code) => code === header.code)) || 'image_undecodable';
}

/** Returns a message with the limits and, if known, the measured size; undefined if the size is not the reason. */
function describe(refusal: ImageRefusal, { header }: ImageMessage): string | undefined {
  const size = readSize(header);
  const measured = size === null ? '' : `The image has ${size.width}x${size.height} pixels. `;
  const { minSidePixels, maxSidePixels, minRatio, maxRatio, maxPixels } = imageRules;
  if (refusal === 'image_bad_dimensions')
    return `${measured}Each side must have ${minSidePixels} to ${maxSidePixels} pixels, with a ratio of width to height from ${minRatio} to ${maxRatio}.`;
  if (refusal !== 'image_too_large') return undefined;
  return size === null || size.width * size.height > maxPixels
    ? `${measured}The limit is ${maxPixels / 1_000_000} megapixels.`
    : `${measured}That is too much to decode in this format.`;
}

/** Reads the size that the child has measured; an image that has compromised the child could send anything. */
function readSize(header: unknown): { width: number; height: number } | null {
  const size = typeof header === 'object' && header !== null && 'size' in header ? header.size : null;
  if (typeof size !== 'object' || size === null || !('width' in size) || !('height' in size)) return null;
  const { width, height } = size;
  return isSide(width) && isSide(height) ? { width, height } : null;
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
