import { join } from 'node:path';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { smallestModel, smallestShape, writeModelsFile } from '@kinora/stack/harness/models-file';
import { makeVideo } from '@kinora/stack/harness/sample-videos';
import { type StubEngine, startStubEngine } from '@kinora/stack/harness/stub-engine';
import type { BenchStack } from './bench-stack.ts';

interface Options {
  /** One by default. */
  endpoints?: number;
  /** The slots of each endpoint. The limit of the project lets it use all of them. */
  slots: number;
  jobMilliseconds: number;
  /** Whether the built-in engine runs too, for tasks in test mode. */
  hasAnimatic?: boolean;
  /** Ports on 127.0.0.1 that the service may deliver webhooks to. */
  loopbackPorts?: readonly number[];
  /** Closes what this starts. */
  cleanup: AsyncDisposableStack;
  report: (line: string) => void;
}

/** Starts all roles with an engine in this process that computes nothing: its CPU time must not count. */
export async function installWithStub(
  { stack, seed }: BenchStack,
  { endpoints = 1, slots, jobMilliseconds, hasAnimatic = false, loopbackPorts = [], cleanup, report }: Options,
): Promise<{ engine: StubEngine; installation: Installation }> {
  const video = await makeVideo(stack.info.folder, 'blue', smallestShape);
  const start = async (): Promise<StubEngine> => {
    const engine = await startStubEngine({ slots, jobMilliseconds, outputOf: () => video });
    cleanup.defer(() => engine.close());
    return engine;
  };
  const engine = await start();
  const engines = [engine];
  while (engines.length < endpoints) engines.push(await start());
  const modelsPath = await writeModelsFile(join(stack.info.folder, 'models.json'), {
    models: [{ id: 'stub', pool: 'stub', ...smallestModel }],
    pools: [
      {
        id: 'stub',
        engine: 'animatic',
        endpoints: engines.map(({ url }, index) => ({ id: `stub-${index + 1}`, url })),
      },
    ],
    allow_gaps: true,
  });
  const installation = await startInstallation({
    stack,
    seed,
    roles: ['worker', 'relay', 'api', ...(hasAnimatic ? (['animatic'] as const) : [])],
    loopbackPorts,
    environment: { KINORA_MODELS_FILE: modelsPath },
    limits: { running: endpoints * slots, waiting: 1_000, creates: 100_000, reads: 1_000_000 },
    onProgress: report,
  });
  cleanup.defer(() => installation.close());
  return { engine, installation };
}
