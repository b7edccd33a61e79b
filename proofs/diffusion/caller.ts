import type { Installation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { type ModelName, shapeOf } from './models-file.ts';

/** Of a task what is looked at. */
export interface PublicTask {
  task_id: string;
  status: string;
  is_final: boolean;
  progress: number;
  progress_source: string;
  attempt: number;
  error: { code: string } | null;
  video: {
    width: number;
    height: number;
    rendered: { width: number; height: number };
    fps: number;
    frame_count: number;
  } | null;
}

interface PublicTimeline {
  attempts: { outcome: string | null; takeovers: number }[];
}

/** All that decides the frames of a video here. */
export interface Recipe {
  model: ModelName;
  seed: number;
  /** The number of the image; text to video without. */
  image?: number;
}

const prompt = 'A lighthouse at dusk';

export type Caller = ReturnType<typeof createCaller>;

/** The routes that the proof uses, with the project's live key: the test key would get the built-in engine. */
export function createCaller({ url, liveKey }: Pick<Installation, 'url' | 'liveKey'>) {
  async function ask(path: string, body?: object): Promise<Response> {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${liveKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: interrupted,
    });
    if (response.ok) return response;
    throw new Error(`${path} was answered with ${response.status}: ${(await response.text()).slice(0, 300)}`);
  }
  const read = async <T>(path: string, body?: object): Promise<T> => (await ask(path, body)).json() as Promise<T>; // the contract's shape

  return {
    async create({ model, seed, image }: Recipe): Promise<string> {
      const common = { prompt, seed, ...shapeOf(model).asked };
      const task =
        image === undefined
          ? await read<PublicTask>('/v1/videos/text-to-video', common)
          : await read<PublicTask>('/v1/videos/image-to-video', { ...common, image_url: sampleImage(image) });
      return task.task_id;
    },
    cancel: (taskId: string) => read<PublicTask>(`/v1/videos/${taskId}/cancel`, {}),
    read: (taskId: string) => read<PublicTask>(`/v1/videos/${taskId}`),
    timeline: (taskId: string) => read<PublicTimeline>(`/v1/videos/${taskId}/timeline`),
    content: async (taskId: string) => Buffer.from(await (await ask(`/v1/videos/${taskId}/content`)).arrayBuffer()),
  };
}
