import { type Kinora, NotFoundError, type Task } from '@kinora/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';

/** As many as fit below the pages and actions without scrolling far. */
const mostTasks = 6;
const shortestText = 2;

interface Found {
  tasks: readonly Task[];
  hasMore: boolean;
}

const nothing: Found = { tasks: [], hasMore: false };

/** Finds tasks by their id, or by words of their prompt. */
export function useFoundTasks(kinora: Kinora | null, key: readonly unknown[], text: string) {
  const isId = /^task_[0-9a-z]{26}$/.test(text);
  const { data, isFetching } = useQuery({
    queryKey: [...key, 'found', text],
    queryFn: async ({ signal }): Promise<Found> => {
      if (kinora === null) return nothing;
      if (isId) return { tasks: await taskById(kinora, text, signal), hasMore: false };
      const { data: tasks, hasMore } = await kinora.videos.list({ q: text, limit: mostTasks }, { signal });
      return { tasks, hasMore };
    },
    enabled: kinora !== null && text.length >= shortestText,
    placeholderData: keepPreviousData,
  });
  const found = text.length >= shortestText ? (data ?? nothing) : nothing;
  return { ...found, isSearching: isFetching };
}

async function taskById(kinora: Kinora, id: string, signal: AbortSignal): Promise<Task[]> {
  try {
    return [await kinora.videos.get(id, { signal })];
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}
