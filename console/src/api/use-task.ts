import type { Task } from '@kinora/sdk';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useProject } from './project.tsx';

/** 2 s: the stream of events is faster, and this is only for when it is broken. */
const shortestPollMilliseconds = 2_000;

/** Follows one task. The stream of the project changes the same entry of the cache. */
export function useTask(id: string): UseQueryResult<Task> {
  const { kinora, key } = useProject();
  return useQuery({
    queryKey: [...key, 'task', id],
    queryFn: ({ signal }): Promise<Task> => kinora.videos.get(id, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data && !data.is_final ? Math.max(shortestPollMilliseconds, data.poll_after_ms) : false,
  });
}
