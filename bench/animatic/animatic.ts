import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench-outcome.ts';
import { startEngine } from './engine-process.ts';
import { judgeCase } from './judge-case.ts';
import { createMeter, type Measured, type RenderCase } from './measure-case.ts';

const sizes = {
  '480p': { width: 854, height: 480, limitSeconds: 4 },
  '720p': { width: 1280, height: 720, limitSeconds: 8 },
  '1080p': { width: 1920, height: 1080, limitSeconds: null },
};

/** Typical prompts: calm and busy, bright and dark, with and without a subject. */
const prompts = [
  'a red boat on the sea at dusk, clouds',
  'a train through snowy mountains at dawn, camera pan',
  'a city at night in the rain',
  'a balloon over the desert at noon',
] as const;
const fromImage = { prompt: 'the camera pushes in slowly', isFromImage: true };

const retries = 2;

/** 5 s at 24 frames per second. */
const clip = { seed: 1, fps: 24, frameCount: 120 };

/** Renders videos as the service does, and compares the speed with ffmpeg alone encoding the same frames. */
export const animatic: Bench = {
  about: 'how fast the built-in engine renders, compared with ffmpeg alone encoding the same frames',

  async run({ size, report }) {
    const isQuick = size === 'quick';
    const cases: RenderCase[] = (isQuick ? (['480p', '720p'] as const) : (['480p', '720p', '1080p'] as const)).flatMap(
      (name) => {
        const texts = isQuick ? prompts.slice(0, 2) : prompts;
        const inputs = [...texts.map((prompt) => ({ prompt, isFromImage: false })), ...(isQuick ? [] : [fromImage])];
        return inputs.map((input) => ({ ...clip, ...sizes[name], ...input, size: name }));
      },
    );
    const folder = mkdtempSync(join(tmpdir(), 'bench-animatic-'));
    const engine = await startEngine(folder);
    const measured: Measured[] = [];
    const failures: string[] = [];
    report(tableHead);
    try {
      const measure = await createMeter({ engine, folder, runs: isQuick ? 1 : 3 });
      for (const renderCase of cases) {
        let result = await measure(renderCase);
        // A case that misses a limit is retried, because the machine may have had other work to do.
        for (let retry = 0; retry < retries && judgeCase(result).length > 0; retry++)
          result = await measure(renderCase);
        measured.push(result);
        failures.push(...judgeCase(result));
        report(tableLine(result));
      }
    } finally {
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    }
    return { judged: {}, shown: figuresOf(measured), checks: measured.length, failures };
  },
};

const tableHead = 'size    seconds  CPU s    fps  ffmpeg fps  ratio (goal 0.70)  drawing MB  ffmpeg MB  prompt';

function tableLine({ renderCase, seconds, framesPerSecond, bareFramesPerSecond, ratio, usage }: Measured): string {
  return [
    renderCase.size.padEnd(6),
    seconds.toFixed(2).padStart(8),
    Math.max(usage.drawingCpuSeconds, usage.encodingCpuSeconds).toFixed(2).padStart(6),
    framesPerSecond.toFixed(1).padStart(6),
    bareFramesPerSecond.toFixed(1).padStart(11),
    `${ratio.toFixed(2)} ${ratio >= 0.7 ? 'reached' : 'below  '}`.padStart(18),
    usage.drawingMegabytes.toFixed(0).padStart(11),
    usage.encodingMegabytes.toFixed(0).padStart(10),
    ` ${renderCase.isFromImage ? 'image: ' : ''}${renderCase.prompt}`,
  ].join(' ');
}

/** Returns the worst figures of each size. */
function figuresOf(measured: readonly Measured[]): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const size of new Set(measured.map(({ renderCase }) => renderCase.size))) {
    const those = measured.filter(({ renderCase }) => renderCase.size === size);
    figures[`slowestSeconds${size}`] = round(Math.max(...those.map(({ seconds }) => seconds)));
    figures[`lowestRatio${size}`] = round(Math.min(...those.map(({ ratio }) => ratio)));
    figures[`drawingMegabytes${size}`] = round(Math.max(...those.map(({ usage }) => usage.drawingMegabytes)));
    figures[`encodingMegabytes${size}`] = round(Math.max(...those.map(({ usage }) => usage.encodingMegabytes)));
  }
  return figures;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
