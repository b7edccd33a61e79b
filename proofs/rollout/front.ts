import type { ApiClient } from '@kinora/stack/harness/api-client';

/** Stands for a load balancer: sends requests to a copy of the API that is in service, and notes how they went. */
export interface Front {
  api: Pick<ApiClient, 'get' | 'post' | 'content'>;
  /** Sends no more requests to a copy, or sends it some again. */
  setInService(copy: number, isInService: boolean): void;
  requests: number;
  /** What was wrong with those that did not succeed. */
  failures: string[];
  slowestReadMilliseconds: number;
}

export function createFront(apis: readonly ApiClient[]): Front {
  const inService = new Set(apis);
  let turn = 0;
  const next = (): ApiClient => {
    const all = [...inService];
    const api = all[(turn += 1) % all.length];
    if (!api) throw new Error('no copy of the API is in service');
    return api;
  };
  const noted = async <T>(send: (api: ApiClient) => Promise<T>): Promise<T> => {
    front.requests += 1;
    try {
      return await send(next());
    } catch (error) {
      front.failures.push(String(error));
      throw error;
    }
  };
  const expectSuccess = <T extends { status: number; text: string }>(response: T): T => {
    if (response.status !== 200) front.failures.push(`${response.status}: ${response.text.slice(0, 200)}`);
    return response;
  };
  const front: Front = {
    api: {
      async get(path, headers) {
        const sentAt = performance.now();
        const response = expectSuccess(await noted((api) => api.get(path, headers)));
        front.slowestReadMilliseconds = Math.max(front.slowestReadMilliseconds, performance.now() - sentAt);
        return response as never; // its body has the type that the caller expects
      },
      post: async (path, body, headers) => expectSuccess(await noted((api) => api.post(path, body, headers))) as never,
      content: (taskId) => noted((api) => api.content(taskId)),
    },
    setInService(copy, isInService) {
      const api = apis[copy];
      if (!api) return;
      if (isInService) inService.add(api);
      else inService.delete(api);
    },
    requests: 0,
    failures: [],
    slowestReadMilliseconds: 0,
  };
  return front;
}
