import { type EngineJob, stateOf } from './engine-job.ts';
import { plain, type Speak } from './exchange.ts';
import { type EngineResponse, json } from './mutation.ts';

/** The node that saves the video in the template of the proof. */
export const savingNode = '4';

const textInput = ['STRING', {}];
const numberInput = ['INT', {}];

/** Returns the proof's template. It binds the prompt, which identifies a job's case, and the image if there is one. */
export function comfyTemplate(hasImage: boolean): string {
  const image = hasImage ? { '5': { class_type: 'LoadImage', inputs: { image: 'template.png' } } } : {};
  return JSON.stringify({
    name: hasImage ? 'image' : 'text',
    bindings: {
      prompt: ['1.text'],
      seed: ['2.seed'],
      width: ['2.width'],
      height: ['2.height'],
      frame_count: ['2.length'],
      fps: ['3.fps'],
      filename_prefix: [`${savingNode}.filename_prefix`],
      ...(hasImage ? { image: ['5.image'] } : {}),
    },
    output: savingNode,
    graph: {
      '1': { class_type: 'CLIPTextEncode', inputs: { text: '' } },
      '2': { class_type: 'KSampler', inputs: { seed: 0, steps: 10, width: 16, height: 16, length: 5 } },
      '3': { class_type: 'CreateVideo', inputs: { images: ['2', 0], fps: 16 } },
      [savingNode]: { class_type: 'SaveVideo', inputs: { video: ['3', 0], filename_prefix: '' } },
      ...image,
    },
  });
}

const inputsOf: Readonly<Record<string, Record<string, unknown>>> = {
  CLIPTextEncode: { text: textInput },
  KSampler: { seed: numberInput, steps: numberInput, width: numberInput, height: numberInput, length: numberInput },
  CreateVideo: { images: ['IMAGE', {}], fps: numberInput },
  SaveVideo: { video: ['VIDEO', {}], filename_prefix: textInput },
  LoadImage: { image: textInput },
};

/** ComfyUI's HTTP protocol, with honest responses. */
export const speakComfyUi: Speak = ({ method, path, query, body }, engine, { take, uploadCase, videoOf }) => {
  if (path === '/system_stats') return plain(json({ system: { comfyui_version: '0.33.0' } }));
  const [, node = ''] = /^\/object_info\/(\w+)$/.exec(path) ?? [];
  if (node !== '') return plain(json(inputsOf[node] ? { [node]: { input: { required: inputsOf[node] } } } : {}));
  if (path === '/prompt' && method === 'GET') return plain(json({ exec_info: { queue_remaining: 0 } }));
  if (path === '/prompt') {
    const { prompt_id: id = '' } = JSON.parse(body.toString('utf8')) as { prompt_id?: string }; // from the adapter
    const job = take(engine, id, body, null);
    return job
      ? { honest: json({ prompt_id: id, number: 0, node_errors: {} }), operation: 'submit', job }
      : plain(json({ error: {} }, 400));
  }
  if (path === '/upload/image') {
    const [, name = ''] = /filename="([^"]+)"/.exec(body.subarray(0, 4096).toString('latin1')) ?? [];
    return { honest: json({ name, subfolder: 'kinora', type: 'input' }), operation: 'upload', job: uploadCase(engine) };
  }
  if (path === '/api/jobs') return plain(json({ jobs: [], pagination: { total: 0 } }));
  if (path === '/history' || path === '/queue' || path === '/interrupt') return about(engine.jobs, body);
  const [, id = '', isCancel] = /^\/api\/jobs\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
  const job = engine.jobs.get(path === '/view' ? (query.get('filename') ?? '').slice(0, 36) : id);
  if (!job) return plain(json({ error: 'Job not found' }, 404));
  if (path === '/view') {
    return {
      honest: { status: 200, headers: { 'content-type': 'video/mp4' }, body: videoOf(job) },
      operation: 'output',
      job,
    };
  }
  if (!isCancel) return { honest: jobResponse(job), operation: 'poll', job };
  job.isCancelled = true;
  return { honest: json({ cancelled: true }), operation: 'cancel', job };
};

function about(jobs: ReadonlyMap<string, EngineJob>, body: Buffer): ReturnType<Speak> {
  const [, id = ''] = /"([0-9a-f-]{36})"/.exec(body.toString('latin1')) ?? [];
  const job = jobs.get(id) ?? null;
  return { honest: json({}), operation: 'discard', job };
}

function jobResponse(job: EngineJob): EngineResponse {
  const { state } = stateOf(job);
  const status = { running: 'in_progress', succeeded: 'completed', cancelled: 'cancelled' }[state];
  const file = { filename: `${job.id}_00001_.mp4`, subfolder: 'kinora', type: 'output' };
  const outputs = state === 'succeeded' ? { [savingNode]: { images: [file], animated: [true] } } : {};
  return json({ id: job.id, status, create_time: job.createdAt, outputs });
}
