export interface WebpFlags {
  hasProfile?: boolean;
  hasAlpha?: boolean;
  hasExif?: boolean;
  isAnimated?: boolean;
}

/** Returns a file of these chunks; `claimedBytes` announces another length. */
export function webpFile(chunks: readonly Buffer[], claimedBytes?: number): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), littleEndian(claimedBytes ?? body.length, 4), body]);
}

export function webpChunk(type: string, data: Uint8Array): Buffer {
  const padding = Buffer.alloc(data.byteLength % 2);
  return Buffer.concat([Buffer.from(type, 'latin1'), littleEndian(data.byteLength, 4), data, padding]);
}

/** Returns a lossless image of one colour. Every code has one symbol, so the pixels take no bits. */
export function losslessChunk(width: number, height: number, argb: readonly [number, number, number, number]): Buffer {
  const [alpha, red, green, blue] = argb;
  let bits = 0n;
  let length = 0n;
  const write = (value: number, count: number): void => {
    bits |= BigInt(value) << length;
    length += BigInt(count);
  };
  write(0x2f, 8);
  write(width - 1, 14);
  write(height - 1, 14);
  write(alpha === 255 ? 0 : 1, 1);
  write(0, 3); // version
  write(0, 3); // no transform, no colour cache, one group of codes
  for (const symbol of [green, red, blue, alpha, 0]) {
    write(1, 1); // a simple code
    write(0, 1); // of one symbol
    write(1, 1); // which has eight bits
    write(symbol, 8);
  }
  const data = Buffer.alloc(Number((length + 7n) / 8n) + 1);
  for (let index = 0; index < data.length; index += 1) data[index] = Number((bits >> BigInt(index * 8)) & 255n);
  return webpChunk('VP8L', data);
}

/** Returns a lossy gray image. To the arithmetic decoder, zeros mean "as expected" in both partitions. */
export function lossyChunk(width: number, height: number): Buffer {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  // The length field has 19 bits; half a million bytes are enough for every image that can be decoded.
  const modes = Buffer.alloc(Math.min(512 + blocks, 500_000));
  const tokens = Buffer.alloc(64 + blocks * 2);
  const tag = (modes.length << 5) | (1 << 4); // a key frame, version 0, shown
  return webpChunk(
    'VP8 ',
    Buffer.concat([
      littleEndian(tag, 3),
      Buffer.from([0x9d, 0x01, 0x2a]),
      littleEndian(width, 2),
      littleEndian(height, 2),
      modes,
      tokens,
    ]),
  );
}

/** Returns the header chunk of a file that has more than one plain image. */
export function extendedChunk(width: number, height: number, flags: WebpFlags): Buffer {
  const { hasProfile, hasAlpha, hasExif, isAnimated } = flags;
  const bits = (hasProfile ? 32 : 0) + (hasAlpha ? 16 : 0) + (hasExif ? 8 : 0) + (isAnimated ? 2 : 0);
  return webpChunk(
    'VP8X',
    Buffer.concat([Buffer.from([bits, 0, 0, 0]), littleEndian(width - 1, 3), littleEndian(height - 1, 3)]),
  );
}

/** Returns an animation whose frames have the size of the canvas. */
export function animatedWebp(width: number, height: number, frames: number): Buffer {
  const frame = (index: number): Buffer =>
    webpChunk(
      'ANMF',
      Buffer.concat([
        Buffer.alloc(6), // at the corner
        littleEndian(width - 1, 3),
        littleEndian(height - 1, 3),
        littleEndian(40, 3),
        Buffer.from([0]),
        losslessChunk(width, height, [255, index % 256, 90, 160]),
      ]),
    );
  return webpFile([
    extendedChunk(width, height, { isAnimated: true }),
    webpChunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0])),
    ...Array.from({ length: frames }, (_, index) => frame(index)),
  ]);
}

export function littleEndian(value: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.writeUIntLE(value, 0, sizeBytes);
  return bytes;
}
