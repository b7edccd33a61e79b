import type { FrameSpec } from './frame-spec.ts';

const lineEnd = 0x0a;

/** What the drawing child reads from stdin: one line of JSON, then the image's bytes, if there is one. */
export function encodeDrawInput(spec: FrameSpec, image: Uint8Array | null): Buffer {
  const { prompt, seed, width, height, fps, frameCount } = spec;
  const line = JSON.stringify({ prompt, seed, width, height, fps, frameCount });
  return Buffer.concat([Buffer.from(`${line}\n`), image ?? Buffer.alloc(0)]);
}

/** The other end of encodeDrawInput; what it reads was written there, so it is not checked again. */
export function decodeDrawInput(bytes: Buffer): { spec: FrameSpec; image: Buffer | null } {
  const end = bytes.indexOf(lineEnd);
  const spec = JSON.parse(bytes.toString('utf8', 0, end)) as FrameSpec; // JSON.stringify leaves no line end in the line
  const image = bytes.subarray(end + 1);
  return { spec, image: image.length > 0 ? image : null };
}

/** How the drawing child says that the image could not be decoded. */
export const imageUndecodableExitCode = 65;

/** How the drawing child says that nobody reads its frames any more. */
export const readerGoneExitCode = 66;
