import type { CallbackReport, EngineCallback } from '../engine-callback.ts';
import { failureOfText, shortReason } from '../failure-of-text.ts';
import { type CogPrediction, createCogBodyScanner } from './cog-body-scanner.ts';
import { progressOfLogs } from './cog-progress.ts';

/** Reads what a Cog server posts to its webhook: a prediction, with the output as a data URL in the middle of it. */
export async function readCogCallback(
  body: AsyncIterable<Buffer>,
  onOutput: (bytes: Buffer) => Promise<void>,
): Promise<EngineCallback | null> {
  const scanner = createCogBodyScanner();
  for await (const chunk of body) {
    const output = scanner.push(chunk);
    if (output === null) return null;
    if (output.length > 0) await onOutput(output);
  }
  const prediction = scanner.end();
  const report = prediction && reportOf(prediction);
  return report && prediction.id !== null ? { jobId: prediction.id, report } : null;
}

function reportOf({ status, error, logs, output }: CogPrediction): CallbackReport | null {
  switch (status) {
    case 'starting':
    case 'processing':
      return { state: 'running', progress: progressOfLogs(logs ?? '') };
    case 'succeeded':
      if (output?.kind === 'bytes') return { state: 'succeeded', output: 'passed-on' };
      if (output?.kind === 'url') return { state: 'succeeded', output: { url: output.url } };
      return { state: 'failed', code: 'output_invalid', reason: 'the prediction succeeded without a usable output' };
    case 'failed':
      return failureOf(error ?? '');
    case 'canceled':
      return { state: 'cancelled' };
    default:
      return null;
  }
}

function failureOf(error: string): CallbackReport {
  // This prefix is Cog's own: the input never reached the predictor. A predictor's error has another prefix, twice.
  const isInput = error.startsWith('Input validation error: ');
  const reason = shortReason(error.replace(/^(Prediction failed: )+/, ''));
  return { state: 'failed', code: isInput ? 'engine_rejected_input' : failureOfText(error), reason };
}
