// Runs as a boxed process of its own (started by image-pool.ts): the only place where untrusted images are decoded.
import { once } from 'node:events';
import sharp from 'sharp';
import {
  encodeMessage,
  type ImageReply,
  type ImageRequest,
  messageReader,
  type ReadMessage,
} from './image-messages.ts';
import { type ImageRefusal, imageRules, isTooMuchToDecode, refuseDimensions, sniffImageFormat } from './image-rules.ts';

sharp.concurrency(1);
sharp.cache(false);
// libvips can load SVG, PDF, TIFF, HEIF and many more; every loader but these three is blocked.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
});

/** Above this, a well-compressed PNG would take most of the five seconds that an image may take. */
const fastCompressionPixels = 16_000_000;

/** `error` refuses truncated and damaged files; `warning` would refuse harmless oddities that cameras write. */
function open(bytes: Buffer) {
  return sharp(bytes, { failOn: 'error', limitInputPixels: imageRules.maxPixels });
}

interface ReplyWithPng {
  reply: ImageReply;
  png: Buffer;
}

function refuse(code: ImageRefusal, size?: { width: number; height: number }): ReplyWithPng {
  return { reply: { kind: 'refused', code, ...(size && { size }) }, png: Buffer.alloc(0) };
}

async function normalise(bytes: Buffer): Promise<ReplyWithPng> {
  const format = sniffImageFormat(bytes);
  if (!format) return refuse('image_unsupported_format');
  // Reads only the header, and without a limit, so that too many pixels are not mistaken for a damaged file.
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (metadata.format !== format) return refuse('image_unsupported_format');
  const { width, height } = metadata.autoOrient;
  const refusal = refuseDimensions(width, height);
  if (refusal) return refuse(refusal, { width, height });
  const { channels, depth, isProgressive, orientation = 1 } = metadata;
  const bytesPerSample = depth === 'ushort' ? 2 : 1;
  const isTurned = orientation > 4;
  if (isTooMuchToDecode({ format, width, height, channels, bytesPerSample, isProgressive, isTurned }))
    return refuse('image_too_large', { width, height });
  const png = await open(bytes)
    .autoOrient()
    .flatten({ background: '#ffffff' }) // as a web page shows it; engines do not accept alpha
    .toColourspace('srgb')
    .png(
      width * height > fastCompressionPixels
        ? { compressionLevel: 1, adaptiveFiltering: false }
        : { compressionLevel: 2, adaptiveFiltering: true },
    )
    .toBuffer();
  return { reply: { kind: 'done' }, png };
}

async function fit(bytes: Buffer, target: Extract<ImageRequest, { kind: 'fit' }>): Promise<ReplyWithPng> {
  const fits = { crop: 'cover', pad: 'contain', stretch: 'fill' } as const;
  const png = await open(bytes)
    .resize(target.width, target.height, { fit: fits[target.fit], position: 'centre', background: '#000000' })
    .flatten({ background: '#000000' })
    .toColourspace('srgb')
    .png({ compressionLevel: 2, adaptiveFiltering: true })
    .toBuffer();
  return { reply: { kind: 'done' }, png };
}

async function handle(request: ImageRequest, payload: Buffer): Promise<ReplyWithPng> {
  try {
    return request.kind === 'normalise' ? await normalise(payload) : await fit(payload, request);
  } catch {
    return refuse('image_undecodable');
  }
}

async function send(reply: ImageReply, png: Uint8Array): Promise<void> {
  for (const chunk of encodeMessage(reply, png)) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}

async function serve(readMessage: ReadMessage): Promise<boolean> {
  const message = await readMessage();
  if (!message) return false;
  const { reply, png } = await handle(message.header as ImageRequest, message.payload); // written by the server
  await send(reply, png);
  return true;
}

await send({ kind: 'ready' }, Buffer.alloc(0));
const readMessage = messageReader(process.stdin);
while (await serve(readMessage)) {
  // Images are outside V8's heap, so V8 sees no reason to collect them, and the next large one would exceed the limit.
  // `serve` is a function of its own, so that nothing here still references the last image.
  globalThis.gc?.();
}
