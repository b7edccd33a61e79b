import { eventually } from '@kinora/stack/harness/eventually';
import { describe } from 'vitest';
import { systemClock } from '../../domain/clock.ts';
import { engineContract } from '../engine.contract.ts';
import type { RenderRequest } from '../engine.ts';
import { type OpenAiVideosDialectName, openAiVideosDialects } from './openai-videos-dialect.ts';
import { createOpenAiVideosEngine } from './openai-videos-engine.ts';
import { tinyRequest } from './openai-videos-request.fixture.ts';

// Runs against a server of your own, with any weights, that no other client uses at the same time:
// KINORA_LIVE_OPENAI_VIDEOS_URL=http://host:port KINORA_LIVE_OPENAI_VIDEOS_DIALECT=vllm-omni vitest run --project engines
const url = process.env['KINORA_LIVE_OPENAI_VIDEOS_URL'];
const dialect = process.env['KINORA_LIVE_OPENAI_VIDEOS_DIALECT'] ?? 'sglang';
const model = process.env['KINORA_LIVE_OPENAI_VIDEOS_MODEL'] ?? null;

describe.skipIf(url === undefined)('the server at KINORA_LIVE_OPENAI_VIDEOS_URL, skipped if that is not set', () => {
  engineContract('openai-videos', async () => {
    if (!isDialect(dialect)) {
      const dialects = Object.keys(openAiVideosDialects).join(', ');
      throw new Error(`KINORA_LIVE_OPENAI_VIDEOS_DIALECT must be one of ${dialects}`);
    }
    const options = { token: null, slots: 1, clock: systemClock, dialect, model };
    const engine = createOpenAiVideosEngine({ ...options, url: url ?? '' });
    return {
      // The cancel is repeated until the engine is idle, as the owner of an endpoint does.
      engine: {
        ...engine,
        cancel: (operation) =>
          eventually('the engine takes the cancel', () => engine.cancel(operation).catch(() => null)),
      },
      unreachable: createOpenAiVideosEngine({ ...options, url: 'http://127.0.0.1:1' }),
      request,
      longRequest: () => request({ parameters: { num_inference_steps: 50 } }),
      capabilities: {
        // Whether a cancel stops a job depends on the version and the pipeline.
        cancelStops: false,
        remembersCancels: false,
        reportsProgress: false,
        refusesWhenBusy: false,
        ignoresRepeats: false,
      },
      teardown: () => engine.close(),
    };
  });
});

/** Returns a small job with a size and a length that both Wan and LTX can render. */
function request(overrides: Partial<RenderRequest> = {}): RenderRequest {
  const parameters = { num_inference_steps: 4 };
  return tinyRequest({ prompt: 'a paper boat on a river', width: 480, height: 288, parameters, ...overrides });
}

function isDialect(name: string): name is OpenAiVideosDialectName {
  return Object.hasOwn(openAiVideosDialects, name);
}
