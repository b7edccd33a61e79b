import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Tells what happened, for 6 s. `action` is usually "Undo". */
export function toast(text: string, action?: Toast['action']): void {
  lastId += 1;
  const id = lastId;
  set([...toasts.slice(-2), { id, text, ...(action ? { action } : {}) }]);
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), 6_000);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div role="status" className="fixed right-4 bottom-20 z-50 flex flex-col gap-2 md:bottom-4">
      {shown.map(({ id, text, action }) => (
        <div
          key={id}
          className="flex items-center gap-2 rounded-box border border-line-strong bg-raised-more py-1 pr-1 pl-3"
        >
          <span>{text}</span>
          {action && (
            <button
              type="button"
              className="rounded-small px-1 font-medium text-accent hover:underline"
              onClick={() => {
                action.run();
                set(toasts.filter((one) => one.id !== id));
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton label="Dismiss" onClick={() => set(toasts.filter((one) => one.id !== id))}>
            <X />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
