import type { FrameSpec } from './frame-spec.ts';

const lineEnd = 0x0a;

/** Encodes what the drawing child reads from stdin: one line of JSON, then the bytes of the image, if there is one. */
export function encodeDrawInput(spec: FrameSpec, image: Uint8Array | null): Buffer {
  const { prompt, seed, width, height, fps, frameCount } = spec;
  const line = JSON.stringify({ prompt, seed, width, height, fps, frameCount });
  return Buffer.concat([Buffer.from(`${line}\n`), image ?? Buffer.alloc(0)]);
}

/** Decodes what `encodeDrawInput` wrote; it needs no validation, because it comes from this program. */
export function decodeDrawInput(bytes: Buffer): { spec: FrameSpec; image: Buffer | null } {
  const end = bytes.indexOf(lineEnd);
  const spec = JSON.parse(bytes.toString('utf8', 0, end)) as FrameSpec; // JSON.stringify escapes line ends
  const image = bytes.subarray(end + 1);
  return { spec, image: image.length > 0 ? image : null };
}

/** The exit code of the drawing child if it cannot decode the image. */
export const imageUndecodableExitCode = 65;

/** The exit code of the drawing child if the reader of its frames has closed the pipe. */
export const readerClosedExitCode = 66;
