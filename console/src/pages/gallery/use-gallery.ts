import type { Task } from '@kinora/sdk';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useLiveTasks } from '../../api/live-tasks.tsx';
import { useProject } from '../../api/project.tsx';
import { type GalleryPageOfTasks, newestOf, withChanged, withFetched, withNewest } from './gallery-pages.ts';
import { type GallerySearch, listQueryOf, matchesSearch } from './gallery-search.ts';

const pageSize = 100;
/** A page is fetched again for its links at most once in this time: a picture that is missing stays missing. */
const renewMilliseconds = 60_000;
/** Ten minutes: long enough to look at some videos and to come back to the same place. */
const keepMilliseconds = 10 * 60_000;

type Data = InfiniteData<GalleryPageOfTasks, GalleryPageOfTasks | null>;

/**
 * Loads the tasks that the filters leave, page by page, and keeps them up to date. Loaded pages are not fetched again,
 * except for links that have expired. While `isAtTop` is false, new tasks wait, so that nothing moves under the pointer.
 */
export function useGallery(search: GallerySearch, isAtTop: () => boolean) {
  const { kinora, key } = useProject();
  const queryClient = useQueryClient();
  const queryKey = [...key, 'gallery', search];
  const [arrivals, setArrivals] = useState<readonly Task[]>([]);
  const fetchFirst = async (): Promise<GalleryPageOfTasks> =>
    kinora.videos.list({ ...listQueryOf(search, Date.now()), limit: pageSize });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: before }): Promise<GalleryPageOfTasks> => (before ? before.nextPage() : fetchFirst()),
    initialPageParam: null as GalleryPageOfTasks | null,
    getNextPageParam: (last) => (last.hasMore ? last : null),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keepMilliseconds,
    // Comparing ten thousand tasks with themselves takes longer than drawing those in sight.
    structuralSharing: false,
  });

  const setPages = (change: (pages: readonly GalleryPageOfTasks[]) => readonly GalleryPageOfTasks[]): void => {
    queryClient.setQueryData<Data>(queryKey, (data) => {
      if (!data) return data;
      const pages = change(data.pages);
      return pages === data.pages ? data : { ...data, pages: [...pages] };
    });
  };

  const renewedAt = useRef(new Map<number, number>());
  /** Fetches the page of a task again, because its links have expired. */
  const renew = (taskId: string): void => {
    const { pages, pageParams } = queryClient.getQueryData<Data>(queryKey) ?? { pages: [], pageParams: [] };
    const index = pages.findIndex(({ data }) => data.some(({ id }) => id === taskId));
    const isRecent = Date.now() - (renewedAt.current.get(index) ?? 0) < renewMilliseconds;
    if (index === -1 || isRecent) return;
    renewedAt.current.set(index, Date.now());
    const before = pageParams[index];
    void (before ? before.nextPage() : fetchFirst()).then(
      (fetched) => setPages((current) => withFetched(current, index, fetched)),
      // The pictures stay as they are until the next try.
      () => undefined,
    );
  };

  // What was kept from an earlier visit may have changed since.
  const refresh = useEffectEvent(() => {
    const { pages } = queryClient.getQueryData<Data>(queryKey) ?? { pages: [] };
    if (pages.length === 0) return;
    void fetchFirst().then(
      (fetched) => {
        const hasGap = fetched.hasMore && (fetched.data.at(-1)?.id ?? '') > newestOf(pages);
        if (hasGap) return queryClient.resetQueries({ queryKey, exact: true });
        setPages((current) => withFetched(current, 0, fetched));
      },
      () => undefined,
    );
  });
  useEffect(() => refresh(), []);

  useLiveTasks((tasks) => {
    setPages((pages) => withChanged(pages, new Map(tasks.map((task) => [task.id, task]))));
    const newest = newestOf(queryClient.getQueryData<Data>(queryKey)?.pages ?? []);
    const added = tasks.filter((task) => task.id > newest && matchesSearch(task, search, Date.now()));
    if (added.length === 0) return;
    if (isAtTop()) setPages((pages) => withNewest(pages, added));
    else setArrivals((before) => [...new Map([...before, ...added].map((task) => [task.id, task])).values()]);
  });
  const showArrivals = (): void => {
    setPages((pages) => withNewest(pages, arrivals));
    setArrivals([]);
  };

  const { data } = query;
  const tasks = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  return { ...query, tasks, arrivals: arrivals.length, showArrivals, renew };
}
