import { setTimeout as pause } from 'node:timers/promises';
import { interrupted } from '@kinora/stack/harness/interruption';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { type Case, promptOf } from './case.ts';
import { modelOf } from './models-file.ts';

/** Of a task what is looked at. */
export interface PublicTask {
  task_id: string;
  status: string;
  is_final: boolean;
  progress: number;
  attempt: number;
  error: { code: string; message: string } | null;
  video: { width: number; height: number; fps: number; frame_count: number } | null;
}

export interface Caller {
  create(case_: Case): Promise<string>;
  cancel(taskId: string): Promise<void>;
  read(taskId: string): Promise<PublicTask>;
  /** All tasks, newest first. */
  list(): Promise<PublicTask[]>;
  /** What the API says of a task, in all places that tell of it. */
  text(taskId: string): Promise<string>;
  content(taskId: string): Promise<Buffer>;
}

const busyMilliseconds = 200;

/** A client of the API that asks with one key. */
export function createCaller({ url, liveKey }: { url: string; liveKey: string }): Caller {
  async function ask(path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${liveKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    if (response.status === 429) {
      await pause(busyMilliseconds, undefined, { signal: interrupted }); // the burst was used up
      return ask(path, body);
    }
    throw new Error(
      `${path.replace(/\?.*/, '')} was answered with ${response.status}: ${(await response.text()).slice(0, 300)}`,
    );
  }
  const read = async <T>(path: string, body?: unknown): Promise<T> => (await ask(path, body)).json() as Promise<T>; // the contract's shape

  return {
    async create(case_) {
      const common = {
        prompt: promptOf(case_),
        model: modelOf(case_.protocol),
        resolution: '480p',
        aspect_ratio: '1:1',
        duration: 1,
      };
      const body = case_.hasImage ? { ...common, image_url: sampleImage(case_.number) } : common;
      const route = case_.hasImage ? 'image-to-video' : 'text-to-video';
      return (await read<PublicTask>(`/v1/videos/${route}`, body)).task_id;
    },
    async cancel(taskId) {
      await ask(`/v1/videos/${taskId}/cancel`, {});
    },
    read: (taskId) => read(`/v1/videos/${taskId}`),
    async list() {
      const tasks: PublicTask[] = [];
      for (let after = ''; ; ) {
        const page = await read<{ data: PublicTask[]; last_id: string; has_more: boolean }>(
          `/v1/videos?limit=100${after}`,
        );
        tasks.push(...page.data);
        if (!page.has_more) return tasks;
        after = `&after=${page.last_id}`;
      }
    },
    async text(taskId) {
      const answers = await Promise.all(
        ['', '/timeline'].map(async (part) => (await ask(`/v1/videos/${taskId}${part}`)).text()),
      );
      return answers.join('\n').replaceAll(/case \d{5} of the engine that lies/g, '');
    },
    content: async (taskId) => Buffer.from(await (await ask(`/v1/videos/${taskId}/content`)).arrayBuffer()),
  };
}
