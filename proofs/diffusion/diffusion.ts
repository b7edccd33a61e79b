import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { startInstallation } from '@kinora/stack/harness/installation';
import { startCog } from '@kinora/stack/parts/real-engines';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { cancelMidRun, killEngine, killEngineWorker, killWorker, type Parts, renderVideo } from './diffusion-cases.ts';
import type { Evidence } from './diffusion-evidence.ts';
import { writeDiffusionModels } from './diffusion-models.ts';
import { startEngineProxy } from './engine-proxy.ts';
import { judgeDiffusion } from './judge-diffusion.ts';

export const proof: Proof = {
  name: 'diffusion',
  promise:
    'A real diffusion model renders exactly the requested video, the same for the same seed; a cancel stops it; no kill makes a task hang or run twice.',
  minutes: 3,
  run: (stack, { size, report }) => run(stack, sizes[size], report),
};

interface DiffusionSize {
  cancels: number;
  engineKills: number;
  engineWorkerKills: number;
  workerKills: number;
  /** How long a killed engine stays down; the kills take these values in turn. */
  downSeconds: number[];
}

const sizes: Record<ProofSize, DiffusionSize> = {
  ci: { cancels: 1, engineKills: 1, engineWorkerKills: 1, workerKills: 2, downSeconds: [4] },
  // 65 s are longer than the minute for which an engine may be silent.
  full: {
    cancels: 10,
    engineKills: 10,
    engineWorkerKills: 10,
    workerKills: 10,

    downSeconds: [4, 0, 65],
  },
};

async function run(stack: Stack, size: DiffusionSize, report: (line: string) => void): Promise<ProofOutcome> {
  const folder = join(stack.info.folder, 'diffusion');
  await mkdir(folder, { recursive: true });
  // The engine's log is next to those of the roles, so that a failed proof retains it with them.
  const cog = await startCog({ folder: stack.info.folder });
  report('the Cog server is ready');
  const proxy = await startEngineProxy(cog.url);
  try {
    await using installation = await startInstallation({
      stack,
      roles: ['worker', 'relay', 'api'],
      limits: { creates: 6_000, reads: 1_000_000 },
      environment: { KINORA_MODELS_FILE: await writeDiffusionModels(join(folder, 'models.yaml'), proxy.url) },
      onProgress: report,
    });
    // The test key would get the built-in engine.
    const api = createApiClient({ url: installation.url, key: installation.liveKey });
    const evidence = await gather({ installation, cog, proxy, api, folder, report }, size);
    return judgeDiffusion(evidence, {
      none: 7,
      cancelled: size.cancels,
      'engine killed': size.engineKills,
      "engine's worker killed": size.engineWorkerKills,
      'worker killed': size.workerKills,
    });
  } finally {
    await proxy.close();
    await cog.stop();
  }
}

async function gather(parts: Parts, size: DiffusionSize): Promise<Evidence> {
  const { tasks, cancels }: Evidence = { tasks: [], cancels: [] };
  const short = { model: 'wan-short', seed: 7 } as const;
  tasks.push(await renderVideo(parts, 'text to video', short));
  tasks.push(await renderVideo(parts, 'the same seed', short));
  tasks.push(await renderVideo(parts, 'another seed', { ...short, seed: 8 }));
  tasks.push(await renderVideo(parts, 'image to video', { ...short, image: 1 }));
  tasks.push(await renderVideo(parts, 'another image', { ...short, image: 2 }));
  // The tasks of the kills below must end with the same frames as this one.
  tasks.push(await renderVideo(parts, 'a long one', { model: 'wan-long', seed: 11 }));
  for (const name of numbered('cancel', size.cancels)) {
    const observed = await cancelMidRun(parts, name);
    tasks.push(...observed.tasks);
    cancels.push(observed.cancel);
  }
  for (const [index, name] of numbered('kill of the engine', size.engineKills).entries())
    tasks.push(await killEngine(parts, name, size.downSeconds[index % size.downSeconds.length] ?? 0));
  for (const name of numbered("kill of the engine's worker", size.engineWorkerKills))
    tasks.push(await killEngineWorker(parts, name));
  for (const [index, name] of numbered('kill of the worker', size.workerKills).entries())
    tasks.push(await killWorker(parts, name, index % 2 === 1));
  return { tasks, cancels };
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}
