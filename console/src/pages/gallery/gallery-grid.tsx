import type { Task } from '@kinora/sdk';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { hasWorkingLinks } from '../../api/keep-known.ts';
import { ratioOf } from '../../design/ratio-box.tsx';
import { GalleryTile } from './gallery-tile.tsx';
import { type JustifiedRow, justifyRows } from './justified-rows.ts';
import { useGalleryKeys } from './use-gallery-keys.ts';

const gap = 8;
/** The line of the prompt, and the distance to the next row. */
const below = 34;
/** How often the links in sight are checked. */
const lookMilliseconds = 15_000;

/** The width of the last visit. With it the page has its full height at once, and the browser can scroll back. */
let lastWidth = 0;

/** A justified grid. Only the rows in sight are drawn. */
export function GalleryGrid({
  tasks,
  hasMore,
  onLoadMore,
  onRenew,
}: {
  tasks: readonly Task[];
  hasMore: boolean;
  onLoadMore: () => void;
  onRenew: (taskId: string) => void;
}) {
  const container = useRef<HTMLDivElement>(null);
  const [{ width, top }, setPlace] = useState({ width: lastWidth, top: 0 });
  useLayoutEffect(() => {
    const element = container.current;
    if (!element) return;
    const measure = (): void => {
      lastWidth = element.clientWidth;
      setPlace({ width: lastWidth, top: Math.round(element.getBoundingClientRect().top + scrollY) });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The ratios of a task never change, so that progress does not lay the page out again.
  const shape = useMemo(() => tasks.map(({ size }) => size).join(), [tasks]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` is all that the ratios depend on.
  const ratios = useMemo(() => tasks.map(ratioOf), [shape]);
  const rows = useMemo(() => {
    if (width === 0) return [];
    const targetHeight = Math.max(120, Math.min(180, width / 7));
    return justifyRows(ratios, { width, gap, targetHeight, below });
  }, [ratios, width]);

  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => blockHeight(rows[index]),
    scrollMargin: top,
    overscan: 3,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have other heights now.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rows]);
  const inSight = virtualizer.getVirtualItems().flatMap(({ index }) => rows[index] ?? []);

  const lastInSight = inSight.at(-1)?.end ?? 0;
  const isNearEnd = hasMore && lastInSight >= tasks.length - 24;
  const loadMore = useEffectEvent(onLoadMore);
  useEffect(() => {
    if (isNearEnd) loadMore();
  }, [isNearEnd, tasks.length]);

  const renewExpired = useEffectEvent(() => {
    const shown = inSight.flatMap(({ start, end }) => tasks.slice(start, end));
    for (const task of shown) if (!hasWorkingLinks(task, Date.now())) onRenew(task.id);
  });
  useEffect(() => {
    renewExpired();
    const timer = setInterval(renewExpired, lookMilliseconds);
    return () => clearInterval(timer);
  }, [lastInSight]);

  const [onBroken] = useState(() => (taskId: string) => renewRef.current(taskId));
  const renewRef = useRef(onRenew);
  useEffect(() => {
    renewRef.current = onRenew;
  });
  useGalleryKeys({ rows, ratios, gap, onScrollToRow: (index) => virtualizer.scrollToIndex(index) });

  return (
    <div ref={container} className="relative" style={{ height: totalHeight(rows) }}>
      {inSight.map((row) => (
        <div
          key={row.start}
          className="absolute inset-x-0 flex"
          style={{ gap, transform: `translateY(${row.top}px)`, height: blockHeight(row) }}
        >
          {tasks.slice(row.start, row.end).map((task, index) => (
            <GalleryTile
              key={task.id}
              task={task}
              index={row.start + index}
              width={row.height * (ratios[row.start + index] ?? 1)}
              height={row.height}
              onBroken={onBroken}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function blockHeight(row: JustifiedRow | undefined): number {
  return row ? Math.ceil(row.height) + below : 0;
}

function totalHeight(rows: readonly JustifiedRow[]): number {
  const last = rows.at(-1);
  return last ? last.top + blockHeight(last) : 0;
}
