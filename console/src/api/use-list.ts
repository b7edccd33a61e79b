import type { Page } from '@kinora/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';

/** A list of the API that loads page by page, by cursor. */
export function useList<Item extends { id: string }>(
  queryKey: readonly unknown[],
  fetchPage: (after: { after?: string }, signal: AbortSignal) => PromiseLike<Page<Item>>,
  { refetchInterval, isEnabled = true }: { refetchInterval?: number; isEnabled?: boolean } = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const { data, hasMore } = await fetchPage(pageParam === null ? {} : { after: pageParam }, signal);
      return { data, hasMore };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ data, hasMore }) => (hasMore ? (data.at(-1)?.id ?? null) : null),
    enabled: isEnabled,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  });
  return { ...query, items: query.data?.pages.flatMap(({ data }) => data) };
}
