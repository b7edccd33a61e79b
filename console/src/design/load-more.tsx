import { Button } from './button.tsx';

/** Loads the next page of a list. */
export function LoadMore({
  list,
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  if (!list.hasNextPage) return null;
  return (
    <div className="mt-3 flex justify-center">
      <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {list.isFetchingNextPage ? 'Loading' : 'Show more'}
      </Button>
    </div>
  );
}
