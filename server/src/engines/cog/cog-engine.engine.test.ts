import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { startCog } from '@kinora/stack/parts/real-engines';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { InputRejected } from '../../errors.ts';
import { type EngineUnderTest, engineContract } from '../engine.contract.ts';
import type { RenderRequest } from '../engine.ts';
import { neverAborted } from '../never-aborted.fixture.ts';
import { createCogEngine } from './cog-engine.ts';
import { startCogReceiver } from './cog-receiver.fixture.ts';

function request(overrides: Partial<RenderRequest> = {}): RenderRequest {
  return {
    jobId: randomUUID(),
    prompt: 'a cat runs in the rain',
    negativePrompt: 'dogs',
    seed: 5,
    width: 64,
    height: 64,
    fps: 16,
    frameCount: 17,
    image: null,
    parameters: { num_inference_steps: 180 },
    ...overrides,
  };
}

const longRequest = () =>
  request({ width: 128, height: 128, frameCount: 33, parameters: { num_inference_steps: 200 } });

async function setUp(): Promise<EngineUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'cog-contract-'));
  const reports = await startCogReceiver();
  const cog = await startCog({ folder });
  const engine = createCogEngine({ url: cog.url, reports, clock: systemClock });
  const unreachable = createCogEngine({
    url: `http://127.0.0.1:${await findFreePorts(1)}`,
    reports,
    clock: systemClock,
  });
  return {
    engine,
    unreachable,
    request,
    longRequest,
    async restart() {
      await cog.kill('SIGKILL');
      await cog.restart();
    },
    capabilities: {
      cancelStops: true,
      remembersCancels: false,
      reportsProgress: true,
      refusesWhenBusy: true,
      ignoresRepeats: false,
    },
    async teardown() {
      await Promise.all([engine.close(), unreachable.close()]);
      await cog.stop();
      await reports.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

engineContract('cog', setUp);

describe('a real Cog server', () => {
  test('makes a video from an image, rejects input that its schema forbids, and says why a job failed', async () => {
    const under = await setUp();
    const { engine } = under;
    try {
      const image = createCanvas(64, 64).toBuffer('image/png');
      const made = await engine.submit(request({ image, parameters: { num_inference_steps: 2 } }), neverAborted);
      await expect.poll(() => engine.poll(made)).toEqual({ state: 'succeeded', isStored: true });
      const failing = await engine.submit(request({ width: 72 }), neverAborted);
      await expect
        .poll(() => engine.poll(failing))
        .toEqual({ state: 'failed', code: 'engine_crashed', reason: expect.stringContaining('multiple of 16') });
      await expect(engine.submit(request({ fps: 0 }), neverAborted)).rejects.toThrow(InputRejected);
    } finally {
      await under.teardown();
    }
  });
});
