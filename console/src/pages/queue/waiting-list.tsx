import type { Task } from '@kinora/sdk';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import { Checkbox } from '../../design/checkbox.tsx';
import { classes } from '../../design/classes.ts';
import type { RowActions } from './running-card.tsx';
import { WaitingRow, waitingColumns } from './waiting-row.tsx';

const rowHeight = 36;
/** The next page is fetched when this many rows are left below. */
const loadAhead = 30;

export interface WaitingListHandle {
  scrollTo: (id: string) => void;
}

/** The waiting tasks in the order of the queue. Only the rows in sight are drawn, and more are loaded on the way. */
export function WaitingList({
  waiting,
  selected,
  actions,
  hasMore,
  onLoadMore,
  onSelectAll,
  onSight,
  ref,
}: {
  waiting: readonly Task[];
  selected: ReadonlySet<string>;
  actions: RowActions | null;
  hasMore: boolean;
  onLoadMore: () => void;
  onSelectAll: (isSelected: boolean) => void;
  /** Called with the task before the first one in sight; null at the top. */
  onSight: (taskBefore: string | null) => void;
  ref: Ref<WaitingListHandle>;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: waiting.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => waiting[index]?.id ?? index,
    overscan: 8,
  });
  const rows = virtualizer.getVirtualItems();
  const first = waiting[(rows[0]?.index ?? 0) - 1]?.id ?? null;
  const isNearEnd = hasMore && (rows.at(-1)?.index ?? 0) >= waiting.length - loadAhead;
  const loadMore = useEffectEvent(onLoadMore);
  useEffect(() => onSight(first), [onSight, first]);
  useEffect(() => {
    if (isNearEnd) loadMore();
  }, [isNearEnd, waiting.length]);
  useImperativeHandle(ref, () => ({
    scrollTo: (id) => virtualizer.scrollToIndex(waiting.findIndex((task) => task.id === id)),
  }));
  const selectedCount = waiting.reduce((count, { id }) => count + (selected.has(id) ? 1 : 0), 0);
  return (
    <div className="rounded-box border">
      <div className={classes(waitingColumns, 'border-b px-2 py-1.5 text-small font-medium text-quiet')}>
        <span>
          {actions && (
            <Checkbox
              label={`Select all ${waiting.length} shown`}
              isChecked={selectedCount > 0 && selectedCount === waiting.length}
              isMixed={selectedCount > 0 && selectedCount < waiting.length}
              onChange={onSelectAll}
            />
          )}
        </span>
        <span className="text-right">Place</span>
        <span>Prompt</span>
        <span className="max-lg:hidden">Video</span>
        <span className="max-lg:hidden">Queued</span>
        <span className="text-right">Expected</span>
        <span />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <div
        ref={scroller}
        role="region"
        aria-label="Waiting tasks"
        tabIndex={0}
        className="max-h-[60dvh] overflow-y-auto"
      >
        <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
          <div className="absolute inset-x-0" style={{ transform: `translateY(${rows[0]?.start ?? 0}px)` }}>
            {rows.map(({ index }) => {
              const task = waiting[index];
              return (
                task && (
                  <WaitingRow
                    key={task.id}
                    task={task}
                    isSelected={selected.has(task.id)}
                    actions={actions}
                    height={rowHeight}
                  />
                )
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
