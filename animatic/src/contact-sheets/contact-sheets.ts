// Draws contact sheets of the animatic. `npm run contact-sheets` writes those in docs/animatic/. To see your own change:
// `npm run contact-sheets -- --out /tmp/look.png --seeds 1,2 --ratios 16:9,9:16 "a boat at dusk" "a forest in rain"`.
// `npm run contact-sheets -- --goldens` accepts the present look of the scenes as the golden pictures of their tests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Canvas, loadImage } from '@napi-rs/canvas';
import { aspectRatios } from './canvas-size.ts';
import { drawStill, drawStrip, layOut } from './contact-sheet.ts';
import { contactSheetPrompts } from './contact-sheet-prompts.ts';
import { writeGoldens } from './golden-pictures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    goldens: { type: 'boolean', default: false },
    out: { type: 'string' },
    image: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    ratios: { type: 'string', default: '16:9' },
    seconds: { type: 'string', default: '5' },
    frames: { type: 'string', default: '4' },
    height: { type: 'string', default: '180' },
  },
});

/** The size limit of a sheet: a page with several of them must still load quickly. */
const largestBytes = 400_000;
const margin = 12;

if (values.goldens) writeGoldens();
else if (values.out) await writeCustomSheet(values.out);
else await writeDocumentation();

/** Writes a sheet with a row for every combination of prompt, ratio and seed in the command line. */
async function writeCustomSheet(path: string): Promise<void> {
  const ratios = values.ratios.split(',').map((ratio) => aspectRatios.find((known) => known === ratio) ?? '16:9');
  const seeds = values.seeds.split(',').map(Number);
  const image = values.image === undefined ? null : await loadImage(values.image);
  const shape = { seconds: Number(values.seconds), frames: Number(values.frames), height: Number(values.height) };
  const rows = positionals.flatMap((prompt) =>
    ratios.flatMap((ratio) => seeds.map((seed) => drawStrip({ prompt, seed, ratio, image }, shape))),
  );
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(path, layOut(rows, 0).toBuffer('image/png'));
}

/** Writes the sheets that docs/animatic/README.md explains. */
async function writeDocumentation(): Promise<void> {
  const { twelve, features, animalsAndRobot, ratios, seeds, image: still, imageMoves } = contactSheetPrompts;
  const shape = { seconds: 5, frames: 4, height: 180 };
  const plain = { seed: 1, ratio: '16:9', image: null } as const;
  const clips = twelve.map((prompt) => drawStrip({ ...plain, prompt }, shape));
  writeSheet('twelve-prompts', layOut(clips, margin));
  writeSheet(
    'features',
    layOut(
      features.map((prompt) => drawStrip({ ...plain, prompt }, shape)),
      margin,
    ),
  );
  const subjects = animalsAndRobot.map((prompt) => drawStrip({ ...plain, prompt }, shape));
  writeSheet('animals-and-robot', layOut(subjects, margin));
  // Each ratio has a column with two frames, all of the same height.
  const tall = { ...shape, frames: 2, height: 240 };
  const columns = aspectRatios.map((ratio) => drawStrip({ ...plain, prompt: ratios, ratio }, tall));
  const moments = [0, 1].map((moment) => columns.flatMap((column) => column.slice(moment, moment + 1)));
  writeSheet('six-ratios', layOut(moments, margin));
  const strips = [1, 2, 3, 4].map((seed) => drawStrip({ ...plain, prompt: seeds, seed }, shape));
  writeSheet('four-seeds', layOut(strips, margin));
  const image = await loadImage(drawStill({ ...plain, prompt: still }).toBuffer('image/png'));
  const moves = imageMoves.map((prompt) => drawStrip({ ...plain, prompt, image }, shape));
  writeSheet('image-to-video', layOut(moves, margin));
}

function writeSheet(name: string, sheet: Canvas): void {
  const path = join(import.meta.dirname, '../../../docs/animatic', `${name}.jpg`);
  mkdirSync(dirname(path), { recursive: true });
  // Find the best quality that fits; because of the grain it differs from sheet to sheet.
  for (let quality = 90; quality >= 40; quality -= 5) {
    const bytes = sheet.toBuffer('image/jpeg', quality);
    if (bytes.length > largestBytes) continue;
    writeFileSync(path, bytes);
    console.log(`${name}: ${sheet.width}x${sheet.height}, ${Math.round(bytes.length / 1000)} kB, quality ${quality}`);
    return;
  }
  throw new Error(`${name} does not fit into ${largestBytes} bytes`);
}
