import type { Engine, EngineDescription } from './engine.ts';

/** What an endpoint said when it was asked, or why it said nothing. */
export interface EndpointProbe {
  /** Why it would not take a job now, in a few words; null when it would. */
  reason: string | null;
  /** How long its health check took; null where it did not answer. */
  latencyMilliseconds: number | null;
  /** Null where it did not describe itself. */
  description: EngineDescription | null;
}

const probeMilliseconds = 5_000;
const longestReason = 200;

/** Asks an endpoint for its health and for what it is, within five seconds. Never throws. */
export async function probeEndpoint(engine: Pick<Engine, 'health' | 'describe'>): Promise<EndpointProbe> {
  const begun = performance.now();
  const asked = Promise.allSettled([
    engine.health().then((answer) => ({ answer, latencyMilliseconds: Math.round(performance.now() - begun) })),
    engine.describe(),
  ]);
  const [told, described] = (await Promise.race([asked, tooLate()])) ?? [];
  const description = described?.status === 'fulfilled' ? described.value : null;
  if (told?.status !== 'fulfilled') {
    const reason = told
      ? `its health check failed: ${wordsOf(told.reason)}`
      : `it did not answer within ${probeMilliseconds / 1000} s`;
    return { reason, latencyMilliseconds: null, description };
  }
  const { answer, latencyMilliseconds } = told.value;
  if (!answer.isReady) return { reason: answer.reason, latencyMilliseconds, description };
  const reason = described?.status === 'rejected' ? `it does not describe itself: ${wordsOf(described.reason)}` : null;
  return { reason, latencyMilliseconds, description };
}

function tooLate(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, probeMilliseconds, null).unref());
}

/** The words of the innermost error; several where several addresses were tried. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return wordsOf(error.errors[0]);
  if (!(error instanceof Error)) return 'no reason';
  return error.cause ? wordsOf(error.cause) : error.message.slice(0, longestReason);
}
