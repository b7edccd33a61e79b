import type { EngineParameters } from '../engine.ts';

export type OpenAiVideosDialectName = 'sglang' | 'vllm-omni' | 'fastvideo';

/** The differences between the servers that offer `/v1/videos`. */
interface OpenAiVideosDialect {
  /** The `owned_by` in its list of models, which shows which server it is. */
  ownedBy: string;
  /** The path that returns its version; null if there is none. */
  versionPath: string | null;
  /** Whether a job that it calls `queued` may already be running. */
  computesQueued: boolean;
  /**
   * Gauges of unfinished requests: after a DELETE that made it forget a job, a sum of 0 proves that it is idle, as far
   * as it knows. Null if it has none: then a job is never deleted before it has ended.
   */
  requestGauges: readonly string[] | null;
  encode: (fields: EngineParameters, image: Uint8Array | null) => Promise<EncodedBody>;
}

interface EncodedBody {
  body: string | Buffer;
  headers: Readonly<Record<string, string>>;
}

export const openAiVideosDialects: Readonly<Record<OpenAiVideosDialectName, OpenAiVideosDialect>> = {
  sglang: {
    ownedBy: 'sglang',
    versionPath: '/server_info',
    computesQueued: false,
    requestGauges: null,
    encode: encodeJson,
  },
  'vllm-omni': {
    ownedBy: 'vllm',
    versionPath: '/version',
    computesQueued: false,
    requestGauges: ['vllm_omni:num_requests_running', 'vllm_omni:num_requests_waiting'],
    encode: encodeForm,
  },
  fastvideo: {
    ownedBy: 'fastvideo',
    versionPath: null,
    // It runs a thread per job, and a job stays `queued` until it has ended.
    computesQueued: true,
    requestGauges: null,
    encode: encodeJson,
  },
};

/** Encodes JSON, with the image as a data URL: in a form, SGLang drops the fields that it does not expect. */
async function encodeJson(fields: EngineParameters, image: Uint8Array | null): Promise<EncodedBody> {
  const reference = image && { reference_url: `data:image/png;base64,${Buffer.from(image).toString('base64')}` };
  return { body: JSON.stringify({ ...fields, ...reference }), headers: { 'content-type': 'application/json' } };
}

/** Encodes a form, with the image as a file: vLLM-Omni accepts nothing else. */
async function encodeForm(fields: EngineParameters, image: Uint8Array | null): Promise<EncodedBody> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  if (image) form.set('input_reference', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'image.png');
  const encoded = new Response(form);
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? 'multipart/form-data' },
  };
}
