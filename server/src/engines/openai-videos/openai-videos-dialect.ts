import type { EngineParameters } from '../engine.ts';

export type OpenAiVideosDialectName = 'sglang' | 'vllm-omni' | 'fastvideo';

/** What differs between the servers that speak `/v1/videos`. */
interface OpenAiVideosDialect {
  /** How the server signs its list of models: a sign of which server it is. */
  ownedBy: string;
  /** Where it tells its version; null where it does not. */
  versionPath: string | null;
  /** Whether a job that it calls `queued` may be computed already. */
  computesQueued: boolean;
  /**
   * The gauges that count its unfinished requests. After a DELETE that made it forget a job, their sum of 0 is the proof that it
   * is idle, as far as the server itself knows. Null where nothing tells: there a job that has not ended is never deleted.
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
    // A thread a job: it stays `queued` until it has ended.
    computesQueued: true,
    requestGauges: null,
    encode: encodeJson,
  },
};

/** SGLang drops fields that it does not expect in a form, so it gets JSON, with the image as a data URL. */
async function encodeJson(fields: EngineParameters, image: Uint8Array | null): Promise<EncodedBody> {
  const reference = image && { reference_url: `data:image/png;base64,${Buffer.from(image).toString('base64')}` };
  return { body: JSON.stringify({ ...fields, ...reference }), headers: { 'content-type': 'application/json' } };
}

/** vLLM-Omni takes nothing but a form, with the image as a file. */
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
