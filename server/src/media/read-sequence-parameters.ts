/** What the sequence parameter set of an H.264 stream says about its pictures. */
export interface SequenceParameters {
  width: number;
  height: number;
  /** Whether the pixels are 8-bit 4:2:0 of limited range, which ffmpeg calls yuv420p. */
  isYuv420p: boolean;
  isProgressive: boolean;
  hasSquarePixels: boolean;
}

/** Profiles whose parameter sets describe the chroma format and may contain scaling lists. */
const highProfiles: readonly number[] = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];
const extendedAspectRatio = 255;
/** The standard allows no more frames than this in one cycle of picture order counts. */
const maxFramesInCycle = 255;

/** Reads a sequence parameter set (ITU-T H.264, 7.3.2.1.1); returns null if it is damaged. */
export function readSequenceParameters(unit: Buffer): SequenceParameters | null {
  try {
    return readParameters(bitReader(withoutEmulationPrevention(unit)));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type BitReader = ReturnType<typeof bitReader>;

function readParameters(bits: BitReader): SequenceParameters {
  bits.skip(8); // the header of the unit
  const profile = bits.read(8);
  bits.skip(16); // constraints and level
  bits.readExponential(); // the id of the set
  const { chromaFormat, isEightBit } = highProfiles.includes(profile)
    ? readChroma(bits)
    : { chromaFormat: 1, isEightBit: true };
  bits.readExponential(); // the length of frame numbers
  skipPictureOrder(bits);
  bits.readExponential(); // reference frames
  bits.skip(1); // gaps in frame numbers
  const widthInBlocks = bits.readExponential() + 1;
  const heightInUnits = bits.readExponential() + 1;
  const isProgressive = bits.read(1) === 1;
  if (!isProgressive) bits.skip(1); // adaptive frame and field coding
  bits.skip(1); // direct inference
  const [left, right, top, bottom] = bits.read(1) === 1 ? readFour(bits) : [0, 0, 0, 0];
  const { isFullRange, hasSquarePixels } = readUsability(bits);
  // A unit of height is two rows of blocks if fields may be coded separately. Chroma of 4:2:0 is cropped in whole pixels.
  const rowsPerUnit = isProgressive ? 1 : 2;
  return {
    width: widthInBlocks * 16 - 2 * (left + right),
    height: (heightInUnits * 16 - 2 * (top + bottom)) * rowsPerUnit,
    isYuv420p: chromaFormat === 1 && isEightBit && !isFullRange,
    isProgressive,
    hasSquarePixels,
  };
}

function readChroma(bits: BitReader): { chromaFormat: number; isEightBit: boolean } {
  const chromaFormat = bits.readExponential();
  if (chromaFormat === 3) bits.skip(1); // separate colour planes
  const isEightBit = bits.readExponential() + bits.readExponential() === 0;
  bits.skip(1); // lossless transform bypass
  if (bits.read(1) === 1) {
    const lists = chromaFormat === 3 ? 12 : 8;
    for (let list = 0; list < lists; list += 1) {
      if (bits.read(1) === 1) skipScalingList(bits, list < 6 ? 16 : 64);
    }
  }
  return { chromaFormat, isEightBit };
}

function skipScalingList(bits: BitReader, length: number): void {
  let scale = 8;
  for (let index = 0; index < length; index += 1) {
    const next = (scale + bits.readSignedExponential() + 256) % 256;
    if (next === 0) return; // the rest of the list repeats the last scale
    scale = next;
  }
}

function skipPictureOrder(bits: BitReader): void {
  const type = bits.readExponential();
  if (type === 0) bits.readExponential();
  if (type !== 1) return;
  bits.skip(1);
  bits.readExponential();
  bits.readExponential();
  const frames = bits.readExponential();
  if (frames > maxFramesInCycle) throw new RangeError('the cycle is too long');
  for (let frame = 0; frame < frames; frame += 1) bits.readExponential();
}

function readFour(bits: BitReader): [number, number, number, number] {
  return [bits.readExponential(), bits.readExponential(), bits.readExponential(), bits.readExponential()];
}

/** Reads the beginning of the usability information (annex E): the shape of pixels, and the range of their values. */
function readUsability(bits: BitReader): { isFullRange: boolean; hasSquarePixels: boolean } {
  if (bits.read(1) === 0) return { isFullRange: false, hasSquarePixels: true };
  let hasSquarePixels = true;
  if (bits.read(1) === 1) {
    const ratio = bits.read(8);
    // 0 means that the shape is not specified, and 1 means square.
    hasSquarePixels = ratio === extendedAspectRatio ? bits.read(16) === bits.read(16) : ratio <= 1;
  }
  if (bits.read(1) === 1) bits.skip(1); // overscan
  if (bits.read(1) === 0) return { isFullRange: false, hasSquarePixels };
  bits.skip(3); // the video format
  return { isFullRange: bits.read(1) === 1, hasSquarePixels };
}

/** Removes the byte 3 that encoders insert after two zero bytes. */
function withoutEmulationPrevention(unit: Buffer): Buffer {
  return Buffer.from(unit.filter((byte, index) => !(byte === 3 && unit[index - 1] === 0 && unit[index - 2] === 0)));
}

/** Returns functions that read bits in order; they throw a `RangeError` at the end of the bytes. */
function bitReader(bytes: Buffer) {
  let position = 0;
  const read = (count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index += 1) {
      value = value * 2 + ((bytes.readUInt8(position >> 3) >> (7 - (position & 7))) & 1);
      position += 1;
    }
    return value;
  };
  const readExponential = (): number => {
    let zeros = 0;
    while (read(1) === 0) zeros += 1;
    if (zeros > 31) throw new RangeError('the number is too large');
    return 2 ** zeros - 1 + read(zeros);
  };
  return {
    read,
    skip: (count: number) => void read(count),
    readExponential,
    readSignedExponential: () => {
      const code = readExponential();
      return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
    },
  };
}
