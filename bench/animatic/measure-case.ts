import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from '@kinora/stack/harness/percentile';
import { drawFrames, encodeFrames, firstFrameAsPng } from './bare-programs.ts';
import type { EngineProcess, RenderJob, ResourceUsage } from './engine-process.ts';

export interface RenderCase extends Omit<RenderJob, 'image'> {
  size: string;
  /** Whether the video starts from an image, which is a frame of our own drawing. */
  isFromImage: boolean;
  limitSeconds: number | null;
}

export interface Measured {
  renderCase: RenderCase;
  seconds: number;
  framesPerSecond: number;
  /** The speed of ffmpeg alone, reading the same frames from a file. */
  bareFramesPerSecond: number;
  ratio: number;
  usage: ResourceUsage;
}

/** Returns a function that measures a case: `runs` renders by the engine alternate with as many bare encodings. */
export async function createMeter(parts: { engine: EngineProcess; folder: string; runs: number }) {
  const { engine, folder, runs } = parts;
  const framesPath = join(folder, 'frames.raw');
  // The first render warms the engine up.
  const warmUp = { prompt: '', seed: 1, width: 854, height: 480, fps: 24, frameCount: 48, image: null };
  await engine.render(warmUp);

  return async (renderCase: RenderCase): Promise<Measured> => {
    const { prompt, seed, width, height, fps, frameCount, isFromImage } = renderCase;
    const job: RenderJob = { prompt, seed, width, height, fps, frameCount, image: null };
    if (isFromImage) {
      await drawFrames({ ...job, prompt: 'mountains at dawn', frameCount: 1 }, framesPath);
      job.image = await firstFrameAsPng(job, framesPath);
    }
    await drawFrames(job, framesPath);
    const rendered: number[] = [];
    const encoded: number[] = [];
    const used: ResourceUsage[] = [];
    for (let run = 0; run < runs; run++) {
      const result = await engine.render(job);
      rendered.push(result.seconds);
      used.push(result.usage);
      encoded.push(await encodeFrames(result.encoderCommand, framesPath, join(folder, 'bare.mp4')));
    }
    rmSync(framesPath);
    const seconds = percentile(rendered, 50);
    const bareSeconds = percentile(encoded, 50);
    return {
      renderCase,
      seconds,
      framesPerSecond: frameCount / seconds,
      bareFramesPerSecond: frameCount / bareSeconds,
      ratio: bareSeconds / seconds,
      usage: highest(used),
    };
  };
}

function highest(used: readonly ResourceUsage[]): ResourceUsage {
  const most = (of: (usage: ResourceUsage) => number) => Math.max(...used.map(of));
  return {
    drawingMegabytes: most(({ drawingMegabytes }) => drawingMegabytes),
    encodingMegabytes: most(({ encodingMegabytes }) => encodingMegabytes),
    drawingCpuSeconds: most(({ drawingCpuSeconds }) => drawingCpuSeconds),
    encodingCpuSeconds: most(({ encodingCpuSeconds }) => encodingCpuSeconds),
  };
}
