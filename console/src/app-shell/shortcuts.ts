import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';

/** Returns whether a key press is meant for a field, a menu or the browser rather than for the page. */
function isForElement(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const target = event.target instanceof HTMLElement ? event.target : null;
  return (
    target?.closest(
      'input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]',
    ) != null
  );
}

/** Calls back for a key that the page handles. */
export function useKey(handlers: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const handler = handlers[event.key];
    if (!handler || isForElement(event)) return;
    handler(event);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}

/** The keys that work on every page: `c` create, `?` help, and ⌘K or Ctrl-K search. */
export function useShortcuts({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }): void {
  const navigate = useNavigate();
  const { project, mode } = useParams({ strict: false }) as { project?: string; mode?: 'live' | 'test' };
  useKey({
    c: () => {
      if (project && mode) void navigate({ to: '/p/$project/$mode/create', params: { project, mode } });
    },
    '?': onHelp,
  });
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      search();
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
