import type { FileHandle } from 'node:fs/promises';
import { OutputInvalid } from '../errors.ts';
import { boxesIn, findBox, type Mp4Box, readMp4Index } from './mp4-boxes.ts';
import { readSequenceParameters } from './read-sequence-parameters.ts';
import type { AudioFacts, PlainVideo, VideoFacts } from './video-facts.ts';

/** Reads an MP4's index, decoding nothing. Throws `OutputInvalid`, or a `RangeError` if a box ends too early. */
export async function readMp4(file: FileHandle): Promise<VideoFacts> {
  const { index, isFastStart } = await readMp4Index(file);
  return { container: 'mov', ...describeTracks(index, isFastStart) };
}

function describeTracks(index: Buffer, isFastStart: boolean): Omit<VideoFacts, 'container'> {
  const tracks = boxesIn(index).filter(({ type }) => type === 'trak');
  const ofKind = (kind: string): Buffer | undefined =>
    tracks.find(({ body }) => findBox(body, 'mdia/hdlr')?.toString('latin1', 8, 12) === kind)?.body;
  const [video, sound] = [ofKind('vide'), ofKind('soun')];
  const entry = video && sampleEntry(video);
  if (!entry) throw new OutputInvalid('the file contains no video');
  const hasOtherTracks = tracks.length !== (sound ? 2 : 1);
  const frames = hasOtherTracks ? null : readPlainFrames(index, video, entry);
  return {
    width: entry.body.readUInt16BE(24),
    height: entry.body.readUInt16BE(26),
    plain: frames && { ...frames, hasAudio: sound !== undefined, isFastStart },
    audio: sound ? describeAudio(sound) : null,
  };
}

/** Returns the first description of a track's samples, whose type names the codec. */
function sampleEntry(track: Buffer): Mp4Box | undefined {
  // The list begins with its version and its length.
  return boxesIn(findBox(track, 'mdia/minf/stbl/stsd')?.subarray(8) ?? Buffer.alloc(0))[0];
}

/** Returns the properties of the frames, or null if they are not plain (see `PlainVideo`). */
function readPlainFrames(
  index: Buffer,
  track: Buffer,
  { type, body }: Mp4Box,
): Omit<PlainVideo, 'hasAudio' | 'isFastStart'> | null {
  if (type !== 'avc1' || countOf(findBox(track, 'mdia/minf/stbl/stsd')) !== 1) return null;
  const extensions = body.subarray(78);
  const parameters = readOnlyParameters(findBox(extensions, 'avcC'));
  const timing = readTiming(index, track);
  if (!parameters || !timing) return null;
  const { width, height, isYuv420p, isProgressive, hasSquarePixels } = parameters;
  const isAsSeen =
    isYuv420p &&
    isProgressive &&
    hasSquarePixels &&
    hasSquareShape(findBox(extensions, 'pasp')) &&
    !isFullRange(findBox(extensions, 'colr')) &&
    isUpright(findBox(index, 'mvhd'), 36) &&
    isUpright(findBox(track, 'tkhd'), 40);
  return isAsSeen ? { width, height, ...timing } : null;
}

/** Returns the sequence parameters of a decoder configuration, or null if there is not exactly one set of them. */
function readOnlyParameters(configuration: Buffer | null) {
  const count = (configuration?.[5] ?? 0) & 0x1f;
  if (!configuration || count !== 1) return null;
  const lengthBytes = configuration.readUInt16BE(6);
  return readSequenceParameters(configuration.subarray(8, 8 + lengthBytes));
}

/** Returns rate and number of the frames, or null unless the rate is constant and the first is shown at 0. */
function readTiming(index: Buffer, track: Buffer): Pick<PlainVideo, 'fps' | 'frameCount' | 'durationSeconds'> | null {
  const table = findBox(track, 'mdia/minf/stbl');
  const header = findBox(track, 'mdia/mdhd');
  if (!table || !header) return null;
  const durations = findBox(table, 'stts');
  const sizes = findBox(table, 'stsz');
  if (!durations || !sizes) return null;
  const runs = readRuns(durations);
  const [unitsPerFrame = 0, ...others] = new Set(runs.map(({ value }) => value));
  const frameCount = runs.reduce((sum, { count }) => sum + count, 0);
  const fps = readTimescale(header) / unitsPerFrame;
  // A file in fragments has no frames in its index.
  if (others.length > 0 || !(fps > 0 && fps < Number.POSITIVE_INFINITY)) return null;
  if (frameCount === 0 || frameCount !== sizes.readUInt32BE(8)) return null;
  const durationSeconds = frameCount / fps;
  const firstShownAt = earliest(findBox(table, 'ctts'), unitsPerFrame);
  const isWhole = showsEverything(findBox(track, 'edts/elst'), {
    firstShownAt,
    // Half a frame allows for rounding to the units of the movie.
    leastSeconds: durationSeconds - 0.5 / fps,
    unitsPerSecond: readTimescale(findBox(index, 'mvhd')),
  });
  return isWhole ? { fps, frameCount, durationSeconds } : null;
}

/** Returns when the first frame is shown; frames that are stored in another order than shown have offsets. */
function earliest(offsets: Buffer | null, unitsPerFrame: number): number {
  if (!offsets) return 0;
  let frame = 0;
  let first = Number.POSITIVE_INFINITY;
  for (const { count, value } of readRuns(offsets)) {
    first = Math.min(first, frame * unitsPerFrame + (value | 0)); // a signed number
    frame += count;
  }
  return first;
}

/** Returns whether the edit list, if there is one, shows all frames once, beginning with the first. */
function showsEverything(
  list: Buffer | null,
  frames: { firstShownAt: number; leastSeconds: number; unitsPerSecond: number },
): boolean {
  if (!list) return frames.firstShownAt === 0;
  if (countOf(list) !== 1) return false;
  const isLong = list.readUInt8(0) === 1;
  const duration = isLong ? Number(list.readBigUInt64BE(8)) : list.readUInt32BE(8);
  const mediaTime = isLong ? Number(list.readBigInt64BE(16)) : list.readInt32BE(12);
  const rate = list.readUInt32BE(isLong ? 24 : 16);
  const isLongEnough = duration / frames.unitsPerSecond >= frames.leastSeconds;
  return rate === 0x1_0000 && mediaTime === frames.firstShownAt && isLongEnough;
}

/** Reads the entries of a table that lists runs of equal values. */
function readRuns(table: Buffer): { count: number; value: number }[] {
  return Array.from({ length: Math.min(countOf(table), (table.length - 8) >> 3) }, (_, index) => ({
    count: table.readUInt32BE(8 + index * 8),
    value: table.readUInt32BE(12 + index * 8),
  }));
}

/** Returns the number of entries of a box that begins with its version and this number. */
function countOf(list: Buffer | null): number {
  return list?.readUInt32BE(4) ?? 0;
}

/** Reads the units per second from the header of a movie or of its media; version 1 has longer dates before it. */
function readTimescale(header: Buffer | null): number {
  return header?.readUInt32BE(header.readUInt8(0) === 1 ? 20 : 12) ?? 0;
}

function hasSquareShape(box: Buffer | null): boolean {
  return !box || box.readUInt32BE(0) === box.readUInt32BE(4);
}

function isFullRange(box: Buffer | null): boolean {
  return box?.toString('latin1', 0, 4) === 'nclx' && box.readUInt8(10) >= 0x80;
}

const identity = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/** Returns whether a header's matrix neither rotates nor scales; in version 1 it is 12 bytes further on. */
function isUpright(header: Buffer | null, offset: number): boolean {
  if (!header) return false;
  const start = offset + (header.readUInt8(0) === 1 ? 12 : 0);
  return identity.every((value, index) => header.readUInt32BE(start + index * 4) === value);
}

function describeAudio(track: Buffer): AudioFacts {
  const entry = sampleEntry(track);
  const header = findBox(track, 'mdia/mdhd');
  const isLong = header?.readUInt8(0) === 1;
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : (header?.readUInt32BE(16) ?? 0);
  // Version 0 of the entry, which is the only one that MP4 knows, takes 28 bytes.
  const isAac = entry?.type === 'mp4a' && isAacDescription(findBox(entry.body.subarray(28), 'esds'));
  return { isAac, durationSeconds: duration / readTimescale(header) };
}

/** The number of AAC among the types of streams (ISO/IEC 14496-1, table 5). */
const aacObjectType = 0x40;

/** Finds the type in nested descriptors: 3, a whole stream, contains 4, its decoder. Both have lengths of 1 to 4 bytes. */
function isAacDescription(box: Buffer | null): boolean {
  if (!box) return false;
  const stream = readDescriptor(box.subarray(4), 3);
  // An id and flags; if a flag is set, more fields follow, which no muxer of MP4 writes.
  if (!stream || stream.readUInt8(2) & 0xe0) return false;
  return readDescriptor(stream.subarray(3), 4)?.[0] === aacObjectType;
}

function readDescriptor(bytes: Buffer, tag: number): Buffer | null {
  if (bytes[0] !== tag) return null;
  let offset = 1;
  while (offset < 4 && bytes.readUInt8(offset) >= 0x80) offset += 1;
  return bytes.subarray(offset + 1);
}
