export interface JpegShape {
  width: number;
  height: number;
  /** The sampling factors of each component; one is gray, three are YCbCr, four are CMYK or YCCK. */
  components: readonly (readonly [across: number, down: number])[];
  isProgressive?: boolean;
  /** Blocks between two restart markers. */
  restartInterval?: number;
  /** Segments after the start of the image: see `jpegSegment`. */
  segments?: readonly Buffer[];
  /** False fields of the frame header: another coding, another precision, another size. */
  frame?: { marker?: number; precision?: number; width?: number; height?: number };
  /** Bytes between the first scan and the end of the image. */
  afterScan?: Buffer;
}

export const gray = [[1, 1]] as const;
export const colour = [
  [1, 1],
  [1, 1],
  [1, 1],
] as const;
export const halfColour = [
  [2, 2],
  [1, 1],
  [1, 1],
] as const;
export const fourInks = [...colour, [1, 1]] as const;

const startOfImage = Buffer.from([0xff, 0xd8]);
const endOfImage = Buffer.from([0xff, 0xd9]);
/** The standard's table for the first coefficient, and a table whose only code means "the rest is zero". */
const firstCounts = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const firstCodes = canonicalCodes(firstCounts);
const restCounts = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** Encodes a mosaic: every block of 8 by 8 pixels has one colour, so only the first coefficient is coded. */
export function encodeJpeg(shape: JpegShape): Buffer {
  const { components, isProgressive = false, restartInterval = 0, segments = [], frame = {} } = shape;
  const width = frame.width ?? shape.width;
  const height = frame.height ?? shape.height;
  const frameData = Buffer.from([
    frame.precision ?? 8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    components.length,
    ...components.flatMap(([across, down], index) => [index + 1, across * 16 + down, 0]),
  ]);
  const scanData = Buffer.from([
    components.length,
    ...components.flatMap((_, index) => [index + 1, 0]),
    0,
    isProgressive ? 0 : 63,
    0,
  ]);
  return Buffer.concat([
    startOfImage,
    ...segments,
    jpegSegment(0xdb, Buffer.from([0, ...Array.from({ length: 64 }, () => 1)])),
    jpegSegment(frame.marker ?? (isProgressive ? 0xc2 : 0xc0), frameData),
    jpegSegment(0xc4, Buffer.from([0x00, ...firstCounts, ...firstCodes.keys()])),
    jpegSegment(0xc4, Buffer.from([0x10, ...restCounts, 0])),
    ...(restartInterval > 0 ? [jpegSegment(0xdd, Buffer.from([restartInterval >> 8, restartInterval & 255]))] : []),
    jpegSegment(0xda, scanData),
    encodeScan(shape),
    shape.afterScan ?? Buffer.alloc(0),
    endOfImage,
  ]);
}

export function jpegSegment(marker: number, data: Uint8Array): Buffer {
  const length = data.byteLength + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), data]);
}

/** Returns the segment that gives the colour transform of three or four components: 0 none, 1 YCbCr, 2 YCCK. */
export function adobeSegment(transform: 0 | 1 | 2): Buffer {
  return jpegSegment(
    0xee,
    Buffer.concat([Buffer.from('Adobe', 'latin1'), Buffer.from([0, 100, 0, 0, 0, 0, transform])]),
  );
}

/** Returns `count` empty scans, each of which makes a decoder walk through the whole image. */
export function emptyScans(blocks: number, count: number): Buffer {
  // The table has one code, 0, for a run of up to 32,767 empty blocks, whose length follows in 14 bits.
  const table = jpegSegment(0xc4, Buffer.from([0x10, ...restCounts, 0xe0]));
  const bits = bitWriter();
  for (let left = blocks; left > 0; left -= 32_767) {
    bits.write(0, 1);
    bits.write(Math.max(0, Math.min(left, 32_767) - 16_384), 14);
  }
  const scan = Buffer.concat([jpegSegment(0xda, Buffer.from([1, 1, 0, 1, 63, 0])), bits.end()]);
  return Buffer.concat([table, ...Array.from({ length: count }, () => scan)]);
}

function encodeScan({ width, height, components, isProgressive = false, restartInterval = 0 }: JpegShape): Buffer {
  const across = Math.max(...components.map(([h]) => h));
  const down = Math.max(...components.map(([, v]) => v));
  // A single component is not interleaved, so its blocks come one by one, whatever its sampling.
  const unitsAcross = Math.ceil(width / (8 * across));
  const unitsDown = Math.ceil(height / (8 * down));
  const bits = bitWriter();
  let last = components.map(() => 0);
  for (let unit = 0; unit < unitsAcross * unitsDown; unit += 1) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      bits.marker(0xd0 + ((unit / restartInterval - 1) % 8));
      last = components.map(() => 0);
    }
    for (const [index, [h, v]] of components.entries()) {
      for (let block = 0; block < h * v; block += 1) {
        const level = ((unit * 5 + block * 11 + index * 40) % 160) - 80;
        const difference = level * 8 - (last[index] ?? 0);
        last[index] = level * 8;
        writeFirst(bits, difference);
        if (!isProgressive) bits.write(0, 1);
      }
    }
  }
  return bits.end();
}

function writeFirst(bits: ReturnType<typeof bitWriter>, difference: number): void {
  const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  const [code = 0, length = 0] = firstCodes[size] ?? [];
  bits.write(code, length);
  if (size > 0) bits.write(difference > 0 ? difference : difference + 2 ** size - 1, size);
}

function bitWriter() {
  const bytes: number[] = [];
  let held = 0;
  let count = 0;
  const push = (byte: number): void => {
    bytes.push(byte);
    if (byte === 0xff) bytes.push(0);
  };
  const write = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit -= 1) {
      held = (held << 1) | ((value >> bit) & 1);
      count += 1;
      if (count === 8) {
        push(held);
        held = 0;
        count = 0;
      }
    }
  };
  const fill = (): void => {
    while (count !== 0) write(1, 1);
  };
  return {
    write,
    marker(marker: number): void {
      fill();
      bytes.push(0xff, marker);
    },
    end(): Buffer {
      fill();
      return Buffer.from(bytes);
    },
  };
}

function canonicalCodes(counts: readonly number[]): [code: number, length: number][] {
  const codes: [number, number][] = [];
  let code = 0;
  for (const [index, count] of counts.entries()) {
    for (let each = 0; each < count; each += 1) {
      codes.push([code, index + 1]);
      code += 1;
    }
    code <<= 1;
  }
  return codes;
}
