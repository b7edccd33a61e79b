import { open } from 'node:fs/promises';
import { maxSidePixels } from '@kinora/boxes/ffmpeg-arguments';
import { OutputInvalid } from '../errors.ts';
import { readMatroska } from './read-matroska.ts';
import { readMp4 } from './read-mp4.ts';
import type { VideoFacts } from './video-facts.ts';

const mp4Boxes: readonly string[] = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide'];
const matroskaSignature = 0x1a45dfa3;

/** Reads a video's index in a few bounded steps, without a child process. Throws `OutputInvalid` if it is no video. */
export async function readVideoFacts(path: string): Promise<VideoFacts> {
  const file = await open(path);
  try {
    const { buffer: head } = await file.read(Buffer.alloc(8), 0, 8, 0);
    const isMatroska = head.readUInt32BE(0) === matroskaSignature;
    const isMp4 = mp4Boxes.includes(head.toString('latin1', 4, 8));
    if (!isMatroska && !isMp4) throw new OutputInvalid('the file is neither MP4 nor WebM');
    const facts = isMatroska ? await readMatroska(file) : await readMp4(file);
    const sides = [facts.width, facts.height, facts.plain?.width ?? 0, facts.plain?.height ?? 0];
    if (Math.max(...sides) > maxSidePixels) throw new OutputInvalid('the video is too large');
    return facts;
  } catch (error) {
    // A read beyond the end of a box or of the file.
    if (error instanceof RangeError) throw new OutputInvalid('the index of the file is damaged', { cause: error });
    throw error;
  } finally {
    await file.close();
  }
}
