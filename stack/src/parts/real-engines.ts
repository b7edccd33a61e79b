import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hangLimitMilliseconds } from '../hang-limit.ts';
import { findFreePorts } from './free-port.ts';
import { type RealEngine, startRealEngine } from './real-engine.ts';

const root = join(import.meta.dirname, '../../..');
const engines = join(root, '.tools', 'engines');

/** The checkpoints that predictors/wan/make_tiny_checkpoint.py makes. */
type TinyCheckpoint = 't2v' | 'i2v' | 'ti2v' | 'a14b-t2v' | 'a14b-i2v';

const pythonEnvironment = {
  // With two threads on a busy machine, a job of 1 s took up to 9 s.
  OMP_NUM_THREADS: '1',
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  CUDA_VISIBLE_DEVICES: '',
  PYTHONUNBUFFERED: '1',
  // An empty value lets Python store compiled modules. Without them SGLang takes 80 s to start instead of 35 s.
  PYTHONDONTWRITEBYTECODE: '',
};

/** Starts a real Cog server that serves predictors/wan with tiny checkpoints, on the CPU. */
export async function startCog(options: {
  /** The folder for its log and its videos. */
  folder: string;
  /** By default one for text to video and one for image to video. */
  checkpoints?: readonly TinyCheckpoint[];
}): Promise<RealEngine> {
  const port = await findFreePorts(1);
  const checkpoints = options.checkpoints ?? ['t2v', 'i2v'];
  return startRealEngine({
    name: 'cog',
    command: pythonOf('cog'),
    arguments: ['-m', 'cog.server.http', '--host', '127.0.0.1'],
    environment: {
      ...pythonEnvironment,
      // Cog starts its worker as `python`. If that is not the Python of this environment, Cog never becomes ready.
      PATH: `${join(engines, 'cog', 'bin')}:${process.env['PATH']}`,
      PORT: String(port),
      TMPDIR: options.folder,
      COG_PREDICT_TYPE_STUB: 'run.py:Runner',
      WAN_CHECKPOINTS: checkpoints.map(checkpointFolder).join(','),
    },
    // The folder with run.py and .cog/openapi_schema.json.
    folder: join(root, 'predictors', 'wan'),
    logPath: join(options.folder, 'cog.log'),
    ports: [port],
    isReady: async (url) => {
      const health: unknown = await (await getHealth(`${url}/health-check`)).json();
      return typeof health === 'object' && health !== null && 'status' in health && health.status === 'READY';
    },
  });
}

/** Starts a real SGLang server with a tiny checkpoint, on the CPU. Requests must contain `generator_device: "cpu"`. */
export async function startSglang(options: {
  /** The folder for its log and its videos. */
  folder: string;
  checkpoint: 't2v' | 'i2v';
}): Promise<RealEngine> {
  // SGLang also listens on the port after the given one, and without --strict-ports it silently avoids ports in use.
  const port = await findFreePorts(4);
  const [scheduler, master] = [port + 2, port + 3];
  return startRealEngine({
    name: 'sglang',
    command: pythonOf('sglang'),
    arguments: [
      join(engines, 'sglang', 'bin', 'sglang'),
      'serve',
      '--model-type=diffusion',
      `--model-path=${checkpointFolder(options.checkpoint)}`,
      '--backend=diffusers',
      '--num-gpus=1',
      '--warmup-mode=off',
      '--host=127.0.0.1',
      `--port=${port}`,
      `--scheduler-port=${scheduler}`,
      `--master-port=${master}`,
      '--strict-ports',
      // Without this it polls for work in a loop that uses a whole core.
      '--sleep-on-idle',
      `--output-path=${join(options.folder, 'sglang-outputs')}`,
    ],
    environment: { ...pythonEnvironment, SGLANG_DIFFUSION_PLATFORM_OVERRIDE: 'cpu' },
    // SGLang writes uploads below its working folder.
    folder: options.folder,
    logPath: join(options.folder, 'sglang.log'),
    ports: [port, port + 1, scheduler, master],
    isReady: async (url) => (await getHealth(`${url}/health`)).ok,
  });
}

/** 30 s: a server may accept a connection while it starts and never respond to it, and the next one is served. */
const healthMilliseconds = hangLimitMilliseconds / 10;

function getHealth(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(healthMilliseconds) });
}

function checkpointFolder(name: TinyCheckpoint): string {
  return assertExists(join(engines, 'tiny-wan', name));
}

function pythonOf(environment: 'cog' | 'sglang'): string {
  return assertExists(join(engines, environment, 'bin', 'python'));
}

function assertExists(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: run scripts/setup engines`);
  return path;
}
