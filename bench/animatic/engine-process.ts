import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { boxedChildren } from '@kinora/boxes/boxed-children';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { readProcessStat } from '@kinora/stack/parts/process-stat';
import { commandLineOf, lastLines, startProcess } from '@kinora/stack/parts/processes';

/** A job, as the engine's private HTTP API accepts it. */
export interface RenderJob {
  prompt: string;
  seed: number;
  width: number;
  height: number;
  fps: number;
  frameCount: number;
  image: Buffer | null;
}

interface RenderedJob {
  /** The time from the PUT until the engine reports that the job succeeded. */
  seconds: number;
  usage: ResourceUsage;
  /** The command that the engine started ffmpeg with: the program and its arguments. */
  encoderCommand: readonly string[];
}

/** The peak resident memory and the CPU time of the drawing process and of ffmpeg, according to /proc. */
export interface ResourceUsage {
  drawingMegabytes: number;
  encodingMegabytes: number;
  drawingCpuSeconds: number;
  encodingCpuSeconds: number;
}

export interface EngineProcess {
  render(job: RenderJob): Promise<RenderedJob>;
  stop(): Promise<void>;
}

const startMilliseconds = 30_000;
const pollMilliseconds = 25;
const jobMilliseconds = 120_000;

const programPath = join(import.meta.dirname, '../../animatic/src/main.ts');

/** Starts the animatic as operators do, as a process of its own that takes one job at a time. */
export async function startEngine(folder: string): Promise<EngineProcess> {
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, 'animatic.log');
  const child = startProcess({
    name: 'animatic',
    command: process.execPath,
    arguments: [programPath],
    environment: {
      KINORA_ANIMATIC_PORT: String(port),
      KINORA_ANIMATIC_SLOTS: '1',
      KINORA_SCRATCH_FOLDER: join(folder, 'scratch'),
    },
    logPath,
  });
  const isReady = async () => {
    const response = await fetch(`${url}/healthz`).catch(() => null);
    return response?.ok ?? false;
  };
  const deadline = Date.now() + startMilliseconds;
  while (!(await isReady())) {
    if (Date.now() > deadline) throw new Error(`the engine did not start:\n${lastLines(logPath, 15)}`);
    await pause(pollMilliseconds);
  }

  return {
    async render({ image, ...job }) {
      const jobUrl = `${url}/jobs/${randomUUID()}`;
      const body = JSON.stringify({ ...job, negativePrompt: null, image: image && image.toString('base64') });
      const watch = watchChildren(child.pid);
      const startedAt = performance.now();
      const response = await fetch(jobUrl, { method: 'PUT', body, headers: { 'content-type': 'application/json' } });
      if (response.status !== 201) throw new Error(`the engine responded to a job with status ${response.status}`);
      for (;;) {
        watch.sample();
        const { state } = (await (await fetch(jobUrl)).json()) as { state: string }; // the engine is ours
        const seconds = (performance.now() - startedAt) / 1000;
        if (state === 'succeeded') {
          await fetch(jobUrl, { method: 'DELETE' });
          return { seconds, ...watch.results() };
        }
        if (state !== 'running' || seconds * 1000 > jobMilliseconds)
          throw new Error(`the job is ${state} after ${seconds.toFixed(1)} s:\n${lastLines(logPath, 15)}`);
        await pause(pollMilliseconds);
      }
    },
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/** Watches the children of the engine: `sample` reads /proc once, and `results` returns the highest values so far. */
function watchChildren(enginePid: number) {
  const usage: ResourceUsage = {
    drawingMegabytes: 0,
    encodingMegabytes: 0,
    drawingCpuSeconds: 0,
    encodingCpuSeconds: 0,
  };
  let encoderCommand: readonly string[] = [];
  return {
    sample(): void {
      for (const pid of boxedChildren(enginePid)) {
        const line = commandLineOf(pid);
        if (line.includes('draw-child.ts')) {
          usage.drawingMegabytes = Math.max(usage.drawingMegabytes, peakMegabytes(pid));
          usage.drawingCpuSeconds = Math.max(usage.drawingCpuSeconds, cpuSeconds(pid));
        } else if (/^\S*ffmpeg /.test(line)) {
          usage.encodingMegabytes = Math.max(usage.encodingMegabytes, peakMegabytes(pid));
          usage.encodingCpuSeconds = Math.max(usage.encodingCpuSeconds, cpuSeconds(pid));
          encoderCommand = line.split(' ');
        }
      }
    },
    results: () => ({ usage, encoderCommand }),
  };
}

/** Returns the user and system time of a process so far; 0 if it has just ended. */
function cpuSeconds(pid: number): number {
  return (readProcessStat(pid)?.ownCpuMilliseconds ?? 0) / 1000;
}

function peakMegabytes(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0; // the process has just ended
  }
}
