import { withoutDirectives } from '../../domain/directive.ts';
import { InputRejected, SubmitRefused } from '../../errors.ts';
import type { Engine, EngineOperation } from '../engine.ts';
import { createEngineHttp, unexpected } from '../engine-http.ts';
import { parseCancel, parseDescription, parseJobState } from './animatic-responses.ts';

/** The engine responds to a cancel once the job's processes have ended, which takes well below a second. */
const cancelMilliseconds = 10_000;

/** Reaches an animatic process over its private HTTP API; the operator sets the URL. */
export function createAnimaticEngine(options: { url: string }): Engine {
  const http = createEngineHttp(options);

  async function remove(operation: EngineOperation): Promise<'stopped'> {
    const { status, json } = await http.request(jobPath(operation), {
      method: 'DELETE',
      timeoutMilliseconds: cancelMilliseconds,
    });
    if (status !== 200) throw unexpected('a cancel', status);
    return parseCancel(json);
  }

  return {
    async describe() {
      const { status, json } = await http.request('/');
      if (status !== 200) throw unexpected('a description', status);
      return parseDescription(json);
    },

    operationFor: (jobId) => ({ jobId }),

    async submit({ jobId, image, prompt, parameters: _ignored, ...rest }, signal) {
      const operation = { jobId };
      // Directives are not words to draw: what they force is sent in the field `directive`.
      const drawn = withoutDirectives(prompt);
      const body = JSON.stringify({ ...rest, prompt: drawn, image: image && Buffer.from(image).toString('base64') });
      const { status } = await http.submit(jobPath(operation), { method: 'PUT', body, signal });
      if (status === 200 || status === 201) return operation;
      if (status === 409) throw new SubmitRefused('busy');
      if (status === 400 || status === 413) throw new InputRejected('the engine cannot render this input');
      throw unexpected('a submit', status);
    },

    jobsSince: async () => [],

    async poll(operation) {
      const { status, json } = await http.request(jobPath(operation));
      if (status === 404) return { state: 'lost' };
      if (status !== 200) throw unexpected('a poll', status);
      return parseJobState(json);
    },

    fetchOutput: (operation) => http.download(`${jobPath(operation)}/output`),

    cancel: remove,

    async discard(operation) {
      await remove(operation);
    },

    async health() {
      const { status } = await http.request('/healthz');
      return status === 200 ? { isReady: true } : { isReady: false, reason: `it responds with status ${status}` };
    },

    close: () => http.close(),
  };
}

function jobPath(operation: EngineOperation): string {
  const jobId = operation['jobId'];
  if (typeof jobId !== 'string' || jobId === '') throw new Error('the operation names no job');
  return `/jobs/${encodeURIComponent(jobId)}`;
}
