import { type Random, seededRandom } from '@kinora/stack/harness/seeded-random';
import { encodeJpeg, halfColour } from './encode-jpeg.ts';
import { encodePng } from './encode-png.ts';
import { losslessChunk, lossyChunk, webpFile } from './encode-webp.ts';
import { either, type HostileFile } from './hostile-file.ts';

const size = { width: 480, height: 360 };

/** Returns valid files that were truncated or changed. */
export function hostileDamage(seed: number, flipsPerFormat: number): HostileFile[] {
  const originals = [
    { name: 'PNG', bytes: encodePng({ ...size, colourType: 2, bitDepth: 8 }), type: 'image/png' },
    { name: 'JPEG', bytes: encodeJpeg({ ...size, components: halfColour }), type: 'image/jpeg' },
    {
      name: 'progressive JPEG',
      bytes: encodeJpeg({ ...size, components: halfColour, isProgressive: true }),
      type: 'image/jpeg',
    },
    { name: 'lossy WebP', bytes: webpFile([lossyChunk(size.width, size.height)]), type: 'image/webp' },
    {
      name: 'lossless WebP',
      bytes: webpFile([losslessChunk(size.width, size.height, [200, 90, 60, 30])]),
      type: 'image/webp',
    },
  ];
  const random = seededRandom(seed);
  return originals.flatMap(({ name, bytes, type }) => [
    ...Array.from({ length: 15 }, (_, index) =>
      either(
        `${name} truncated to ${index + 1} sixteenths`,
        bytes.subarray(0, Math.floor((bytes.length * (index + 1)) / 16)),
        type,
      ),
    ),
    ...Array.from({ length: flipsPerFormat }, (_, index) =>
      either(`${name} with flipped bytes, number ${index + 1}`, flipped(bytes, random), type),
    ),
  ]);
}

/** Changes one to eight bytes, half of the time in the first hundred, where the structure is. */
function flipped(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  const count = 1 + random.below(8);
  for (let index = 0; index < count; index += 1) {
    // The first twelve bytes stay, because a file with another signature would be refused at once.
    const at = 12 + random.below(random.below(2) === 0 ? Math.min(100, changed.length - 12) : changed.length - 12);
    changed[at] = (changed[at] ?? 0) ^ (1 + random.below(255));
  }
  return changed;
}
