import { useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';

/** public/theme.js reads the same name before the first paint. */
const name = 'kinora.theme';
const listeners = new Set<() => void>();
const prefersLight = matchMedia('(prefers-color-scheme: light)');
prefersLight.addEventListener('change', apply);

function apply(): void {
  document.documentElement.dataset['theme'] = localStorage.getItem(name) ?? (prefersLight.matches ? 'light' : 'dark');
  for (const listener of listeners) listener();
}

/** Chooses a theme for this browser; null follows the system. */
export function setTheme(theme: Theme | null): void {
  if (theme === null) localStorage.removeItem(name);
  else localStorage.setItem(name, theme);
  apply();
}

/** Returns the theme that is shown, and the one that the person chose. */
export function useTheme(): { shown: Theme; chosen: Theme | null } {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => `${document.documentElement.dataset['theme']}/${localStorage.getItem(name) ?? ''}`,
  );
  const [shown, chosen] = text.split('/');
  return { shown: shown === 'light' ? 'light' : 'dark', chosen: chosen ? (chosen as Theme) : null };
}
