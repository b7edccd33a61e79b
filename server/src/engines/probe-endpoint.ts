import type { Engine, EngineDescription } from './engine.ts';

/** What an endpoint responded to a probe, or why it did not. */
export interface EndpointProbe {
  /** Why it would not accept a job now, in a few words; null if it would. */
  reason: string | null;
  /** How long its health check took; null if it did not respond. */
  latencyMilliseconds: number | null;
  /** Null if it did not describe itself. */
  description: EngineDescription | null;
}

const probeMilliseconds = 5_000;
const longestReason = 200;

/** Queries an endpoint's health and description, for at most five seconds. Never throws. */
export async function probeEndpoint(engine: Pick<Engine, 'health' | 'describe'>): Promise<EndpointProbe> {
  const begun = performance.now();
  const queries = Promise.allSettled([
    engine.health().then((health) => ({ health, latencyMilliseconds: Math.round(performance.now() - begun) })),
    engine.describe(),
  ]);
  const [checked, described] = (await Promise.race([queries, tooLate()])) ?? [];
  const description = described?.status === 'fulfilled' ? described.value : null;
  if (checked?.status !== 'fulfilled') {
    const reason = checked
      ? `its health check failed: ${messageOf(checked.reason)}`
      : `it did not respond within ${probeMilliseconds / 1000} s`;
    return { reason, latencyMilliseconds: null, description };
  }
  const { health, latencyMilliseconds } = checked.value;
  if (!health.isReady) return { reason: health.reason, latencyMilliseconds, description };
  const reason =
    described?.status === 'rejected' ? `it does not describe itself: ${messageOf(described.reason)}` : null;
  return { reason, latencyMilliseconds, description };
}

function tooLate(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, probeMilliseconds, null).unref());
}

/** Returns the message of the innermost error; if several addresses were tried, of the first one's. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return 'no reason';
  return error.cause ? messageOf(error.cause) : error.message.slice(0, longestReason);
}
