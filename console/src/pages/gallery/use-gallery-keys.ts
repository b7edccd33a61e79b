import { useKey } from '../../app-shell/shortcuts.ts';
import { type Direction, type JustifiedRow, rowOf, tileBeside } from './justified-rows.ts';

/** The keys of the gallery: `j`, `k` and the arrows move the focus, `enter` opens (the focus is on a link). */
export function useGalleryKeys({
  rows,
  ratios,
  gap,
  onScrollToRow,
}: {
  rows: readonly JustifiedRow[];
  ratios: readonly number[];
  gap: number;
  /** Scrolls a row into view: only those in sight are drawn. */
  onScrollToRow: (index: number) => void;
}): void {
  const move = (direction: Direction): void => {
    if (ratios.length === 0) return;
    const from = focusedTile();
    const to = from === null ? firstInSight() : tileBeside(from, direction, { rows, ratios, gap });
    if (!document.querySelector(`[data-tile="${to}"]`)) onScrollToRow(rowOf(to, rows));
    focusTile(to);
  };
  /** Arrows scroll the page until a tile has the focus. */
  const arrow = (direction: Direction) => (event: KeyboardEvent) => {
    if (focusedTile() === null) return;
    event.preventDefault();
    move(direction);
  };
  useKey({
    j: () => move('right'),
    k: () => move('left'),
    ArrowLeft: arrow('left'),
    ArrowRight: arrow('right'),
    ArrowUp: arrow('up'),
    ArrowDown: arrow('down'),
  });
}

/** Focuses a tile. One that was out of sight is drawn a few frames later. */
export function focusTile(index: number, frames = 10): void {
  const tile = document.querySelector<HTMLElement>(`[data-tile="${index}"]`);
  tile?.focus({ preventScroll: true });
  tile?.scrollIntoView({ block: 'nearest' });
  if (!tile && frames > 0) requestAnimationFrame(() => focusTile(index, frames - 1));
}

function focusedTile(): number | null {
  const tile = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['tile'] : undefined;
  return tile === undefined ? null : Number(tile);
}

function firstInSight(): number {
  const tiles = [...document.querySelectorAll<HTMLElement>('[data-tile]')];
  const first = tiles.find((tile) => tile.getBoundingClientRect().top > 100) ?? tiles[0];
  return Number(first?.dataset['tile'] ?? 0);
}
