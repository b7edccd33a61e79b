import type { Task } from '@kinora/sdk';
import { useRef } from 'react';
import { useKey } from '../../app-shell/shortcuts.ts';

/** The keys of the queue: `j` and `k` move the focus, `enter` opens (the focus is on a link), `x` selects. */
export function useQueueKeys({
  rows: { cards, waiting, ended },
  onSelect,
  onClear,
  onScrollTo,
}: {
  rows: { cards: readonly Task[]; waiting: readonly Task[]; ended: readonly Task[] };
  onSelect: (id: string) => void;
  onClear: () => void;
  /** Scrolls a waiting task into view: only those in sight are drawn. */
  onScrollTo: (id: string) => void;
}): void {
  const last = useRef(-1);
  const move = (step: number): void => {
    const order = [...cards, ...waiting, ...ended];
    const at = order.findIndex(({ id }) => id === focusedRow());
    // If the task of the focus has left its list, the next one stands in its place.
    const from = at === -1 ? (last.current === -1 ? -1 : last.current - (step > 0 ? 1 : 0)) : at;
    const to = Math.max(0, Math.min(order.length - 1, from + step));
    const id = order[to]?.id;
    if (id === undefined) return;
    last.current = to;
    if (to >= cards.length && to < cards.length + waiting.length) onScrollTo(id);
    focusRow(id);
  };
  useKey({
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      const id = focusedRow();
      if (id !== null) onSelect(id);
    },
    Escape: onClear,
  });
}

/** Focuses the link of a row. One that was out of sight is drawn a few frames later. */
function focusRow(id: string, frames = 10): void {
  const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: 'nearest' });
  if (!link && frames > 0) requestAnimationFrame(() => focusRow(id, frames - 1));
}

function focusedRow(): string | null {
  const row = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['row'] : undefined;
  return row ?? null;
}
