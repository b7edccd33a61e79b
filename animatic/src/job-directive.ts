import { isRenderFailureCode, type RenderFailureCode } from './render-failed.ts';

/** What a test prompt forces a job to do: wait, and then be drawn or end in one of these ways. */
export interface JobDirective {
  delaySeconds: number;
  outcome: 'draw' | 'stall' | 'lose' | RenderFailureCode;
}

const maximumDelaySeconds = 600;

/** Reads the directive of a submitted job; a job without one is simply drawn. */
export function parseJobDirective(value: unknown): { directive?: JobDirective } | { problem: string } {
  if (value === undefined) return {};
  const problem = 'directive must name a delay and an outcome';
  if (typeof value !== 'object' || value === null) return { problem };
  const { delaySeconds, outcome } = value as Record<string, unknown>; // an object; each field is checked below
  const isDelay = typeof delaySeconds === 'number' && delaySeconds >= 0 && delaySeconds <= maximumDelaySeconds;
  if (!isDelay) return { problem };
  const isOutcome = outcome === 'draw' || outcome === 'stall' || outcome === 'lose' || isRenderFailureCode(outcome);
  if (!isOutcome) return { problem };
  return { directive: { delaySeconds, outcome } };
}
