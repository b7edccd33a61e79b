import { setTimeout as pause } from 'node:timers/promises';
import type { JobDirective } from './job-directive.ts';
import { RenderFailed } from './render-failed.ts';

/** Carries out the directive of a test prompt before anything is drawn. Throws if the job must fail. */
export async function applyDirective(
  { delaySeconds, outcome }: JobDirective,
  signal: AbortSignal,
): Promise<'draw' | 'forget'> {
  await pause(delaySeconds * 1000, undefined, { signal });
  switch (outcome) {
    case 'draw':
      return 'draw';
    case 'lose':
      return 'forget';
    case 'stall':
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    default:
      throw new RenderFailed(outcome, 'the prompt forces this failure');
  }
}
