import type { FrameSpec } from './frame-spec.ts';
import { type JobDirective, parseJobDirective } from './job-directive.ts';

/** One job, as the engine process accepts it. */
export interface JobInput extends FrameSpec {
  /** A PNG of the same size as the video. */
  image: Buffer | null;
  directive?: JobDirective | undefined;
}

const limits = {
  /** In UTF-16 code units; far more than the service's own limit on prompts. */
  promptLength: 20_000,
  side: [16, 4096],
  pixels: 4096 * 2304,
  fps: [1, 60],
  frameCount: [1, 1200],
  imageSizeBytes: 30 * 1024 * 1024,
} as const;

/** Validates the body of a submitted job; returns the input, or the first problem. */
export function parseJobInput(body: unknown): { input: JobInput } | { problem: string } {
  if (typeof body !== 'object' || body === null) return { problem: 'the body must be a JSON object' };
  const fields = body as Record<string, unknown>; // an object; each field is checked below
  const { prompt, negativePrompt, seed, width, height, fps, frameCount } = fields;
  if (!isText(prompt)) return { problem: 'prompt must be a string that is not too long' };
  if (negativePrompt !== null && !isText(negativePrompt)) return { problem: 'negativePrompt must be a string or null' };
  if (!isInteger(seed, 0, 2 ** 32 - 1)) return { problem: 'seed must be an integer in 0..4294967295' };
  if (!isInteger(width, ...limits.side) || !isInteger(height, ...limits.side)) {
    return { problem: `width and height must be integers in ${limits.side.join('..')}` };
  }
  // H.264 in the pixel format that players support (4:2:0) has one colour sample for two by two pixels.
  if (width % 2 !== 0 || height % 2 !== 0) return { problem: 'width and height must be even' };
  if (width * height > limits.pixels) return { problem: `a frame may have at most ${limits.pixels} pixels` };
  if (!isInteger(fps, ...limits.fps)) return { problem: `fps must be an integer in ${limits.fps.join('..')}` };
  if (!isInteger(frameCount, ...limits.frameCount)) {
    return { problem: `frameCount must be an integer in ${limits.frameCount.join('..')}` };
  }
  const image = parseImage(fields['image'], width, height);
  if ('problem' in image) return image;
  const directive = parseJobDirective(fields['directive']);
  if ('problem' in directive) return directive;
  return { input: { prompt, seed, width, height, fps, frameCount, image: image.bytes, ...directive } };
}

function parseImage(value: unknown, width: number, height: number): { bytes: Buffer | null } | { problem: string } {
  if (value === null) return { bytes: null };
  if (typeof value !== 'string') return { problem: 'image must be a PNG in base64, or null' };
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length > limits.imageSizeBytes) return { problem: 'image is too large' };
  const size = readPngSize(bytes);
  if (!size) return { problem: 'image must be a PNG' };
  // The boxed child decodes the image, so limit it to the pixels of the canvas.
  if (size.width !== width || size.height !== height) return { problem: 'image must have the size of the canvas' };
  return { bytes };
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readPngSize(bytes: Buffer): { width: number; height: number } | null {
  // The header chunk is always the first: its length, its name, then width and height.
  const isPng =
    bytes.length >= 33 && bytes.subarray(0, 8).equals(pngSignature) && bytes.toString('latin1', 12, 16) === 'IHDR';
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= limits.promptLength;
}

function isInteger(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high;
}
