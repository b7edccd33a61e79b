import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLiveTasks } from '../../api/live-tasks.tsx';
import { useProject } from '../../api/project.tsx';
import { groupsOf, mostEnded, nothingKnown, type QueueTasks, withChanges, withPage } from './queue-tasks.ts';

/** 4 s: positions and expected ends change slowly, and the stream tells everything else at once. */
const refetchMilliseconds = 4_000;
const pageSize = 100;

/** Follows the queue: a stream brings changes, and refetches of the visible part bring new ones. */
export function useQueue() {
  const { kinora, key } = useProject();
  const queryClient = useQueryClient();
  const queryKey = [...key, 'queue'];
  const inSight = useRef<string | null>(null);
  const [isLoadingMore, setIsLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<unknown>(null);

  const fetchWaiting = async (after: string | null) => {
    const requestedAt = Date.now();
    const list = { status: 'queued', order: 'asc', limit: pageSize } as const;
    const { data, hasMore } = await kinora.videos.list(after === null ? list : { ...list, after });
    return { status: 'queued', after, tasks: data, hasMore, requestedAt } as const;
  };
  const query = useQuery({
    queryKey,
    queryFn: async (): Promise<QueueTasks> => {
      const requestedAt = Date.now();
      const [waiting, running, ended] = await Promise.all([
        fetchWaiting(inSight.current),
        kinora.videos.list({ status: 'in_progress', order: 'asc', limit: pageSize }),
        kinora.videos.list({ status: ['completed', 'failed', 'cancelled'], limit: mostEnded }),
      ]);
      // Events may have arrived in the meantime, so what is known is read only now.
      let next = queryClient.getQueryData<QueueTasks>(queryKey) ?? nothingKnown;
      next = withPage(next, waiting);
      next = withPage(next, {
        status: 'in_progress',
        after: null,
        tasks: running.data,
        hasMore: running.hasMore,
        requestedAt,
      });
      return withChanges(next, ended.data, requestedAt);
    },
    structuralSharing: false,
  });

  // The interval of useQuery starts again with every change, and here they never stop.
  const { refetch } = query;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refetch({ cancelRefetch: false });
    }, refetchMilliseconds);
    return () => clearInterval(timer);
  }, [refetch]);

  useLiveTasks((tasks) => {
    queryClient.setQueryData<QueueTasks>(queryKey, (known) => known && withChanges(known, tasks, Date.now()));
  });

  const { data } = query;
  const groups = useMemo(() => data && groupsOf(data), [data]);
  const loadedTo = data?.loadedTo ?? null;
  const loadMore = async (): Promise<void> => {
    if (loadedTo === null || isLoadingMore) return;
    setIsLoadingMore(true);
    try {
      const page = await fetchWaiting(loadedTo);
      queryClient.setQueryData<QueueTasks>(queryKey, (known) => known && withPage(known, page));
      setMoreError(null);
    } catch (error) {
      setMoreError(error);
    } finally {
      setIsLoadingMore(false);
    }
  };
  /** Tells which waiting task is the first in sight: refetches begin after the one before it. */
  const setInSight = useCallback((taskBefore: string | null) => {
    inSight.current = taskBefore;
  }, []);
  return { ...query, groups, hasMore: loadedTo !== null && moreError === null, moreError, loadMore, setInSight };
}
