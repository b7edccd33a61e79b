import type { Task } from '@kinora/sdk';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useLiveTasks } from '../../api/live-tasks.tsx';
import { useProject } from '../../api/project.tsx';
import {
  type GalleryPageOfTasks,
  newestOf,
  noArrivals,
  withArrivals,
  withChanged,
  withFetched,
  withNewest,
} from './gallery-pages.ts';
import { type GallerySearch, listQueryOf, matchesSearch } from './gallery-search.ts';

const pageSize = 100;
/** A page is fetched again for its links at most once in this time: a picture that is missing stays missing. */
const renewMilliseconds = 60_000;
/** Ten minutes: long enough to look at some videos and to come back to the same place. */
const keepMilliseconds = 10 * 60_000;

type Data = InfiniteData<GalleryPageOfTasks, GalleryPageOfTasks | null>;

/** Loads the filtered tasks by page and keeps them fresh; new ones wait while `isAtTop` is false, so nothing moves. */
export function useGallery(search: GallerySearch, isAtTop: () => boolean) {
  const { kinora, key } = useProject();
  const queryClient = useQueryClient();
  const queryKey = [...key, 'gallery', search];
  const [arrived, setArrived] = useState({ search, arrivals: noArrivals });
  // What arrived while other filters were set is not of this list.
  const arrivals = arrived.search === search ? arrived.arrivals : noArrivals;
  const setArrivals = (arrivals: typeof noArrivals): void => setArrived({ search, arrivals });
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

  const renewedAt = useRef(new Map<string, number>());
  /** Fetches the page of a task again, because its links have expired. */
  const renew = (taskId: string): void => {
    const { pages, pageParams } = queryClient.getQueryData<Data>(queryKey) ?? { pages: [], pageParams: [] };
    const index = pages.findIndex(({ data }) => data.some(({ id }) => id === taskId));
    const name = `${JSON.stringify(search)} ${index}`;
    const isRecent = Date.now() - (renewedAt.current.get(name) ?? 0) < renewMilliseconds;
    if (index === -1 || isRecent) return;
    renewedAt.current.set(name, Date.now());
    const before = pageParams[index];
    void (before ? before.nextPage() : fetchFirst()).then(
      (fetched) => setPages((current) => withFetched(current, index, fetched, Date.now())),
      // The pictures stay as they are until the next try.
      () => undefined,
    );
  };

  /** Shows new tasks at once at the top of the page; further down they wait until the person asks for them. */
  const arrive = (tasks: readonly Task[], isAll: boolean): void => {
    if (tasks.length === 0) return;
    if (isAll && isAtTop()) return setPages((pages) => withNewest(pages, tasks));
    setArrivals(withArrivals(arrivals, tasks, isAll));
  };
  const showArrivals = (): void => {
    setArrivals(noArrivals);
    if (arrivals.isAll) setPages((pages) => withNewest(pages, [...arrivals.tasks.values()]));
    else void queryClient.resetQueries({ queryKey, exact: true });
  };

  // What was kept from an earlier visit may have changed since.
  const refresh = useEffectEvent(() => {
    const newest = newestOf(queryClient.getQueryData<Data>(queryKey)?.pages ?? []);
    if (newest === '') return;
    void fetchFirst().then(
      (fetched) => {
        const known = fetched.data.filter(({ id }) => id <= newest);
        const isAll = known.length > 0 || !fetched.hasMore;
        if (isAll) setPages((pages) => withFetched(pages, 0, { ...fetched, data: known }, Date.now()));
        arrive(fetched.data.slice(0, fetched.data.length - known.length), isAll);
      },
      () => undefined,
    );
  });
  const shown = JSON.stringify(search);
  useEffect(() => {
    if (shown) refresh();
  }, [shown]);

  useLiveTasks((tasks) => {
    setPages((pages) => withChanged(pages, new Map(tasks.map((task) => [task.id, task]))));
    const newest = newestOf(queryClient.getQueryData<Data>(queryKey)?.pages ?? []);
    arrive(
      tasks.filter((task) => task.id > newest && matchesSearch(task, search, Date.now())),
      true,
    );
  });

  const { data } = query;
  const tasks = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  return { ...query, tasks, arrivals, showArrivals, renew };
}
