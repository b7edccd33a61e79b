import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useWaitingForSignIn } from '../api/fresh-sign-in.ts';
import { useIsRendering } from '../api/is-rendering.ts';
import { Toasts } from '../design/toasts.tsx';
import { AwayBanner } from './away-banner.tsx';
import { Header } from './header.tsx';
import { useShortcuts } from './shortcuts.ts';
import { BottomBar, Sidebar } from './sidebar.tsx';

const ConfirmSignIn = lazy(() =>
  import('./confirm-sign-in.tsx').then(({ ConfirmSignIn }) => ({ default: ConfirmSignIn })),
);
const CommandMenu = lazy(() => import('./command-menu.tsx').then(({ CommandMenu }) => ({ default: CommandMenu })));
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx').then(({ ShortcutHelp }) => ({ default: ShortcutHelp })));

/** The sidebar, header and overlays around every page of a signed-in person. */
export function AppShell() {
  const [open, setOpen] = useState<'search' | 'help' | null>(null);
  const params = useParams({ strict: false }) as { project?: string; mode?: 'live' | 'test' };
  const waiting = useWaitingForSignIn();
  const isRendering = useIsRendering(params);
  useShortcuts({ onSearch: () => setOpen('search'), onHelp: () => setOpen('help') });
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-box bg-accent px-3 py-1 text-accent-ink focus:not-sr-only focus:fixed"
      >
        Skip to content
      </a>
      <Sidebar isRendering={isRendering} />
      <div className="flex min-w-0 grow flex-col">
        <Header onSearch={() => setOpen('search')} />
        <AwayBanner />
        <main id="content" tabIndex={-1} className="grow pb-16 outline-none md:pb-0">
          <Outlet />
        </main>
      </div>
      <BottomBar />
      <Toasts />
      <Suspense>
        {waiting !== null && <ConfirmSignIn waiting={waiting} />}
        {open === 'search' && <CommandMenu onClose={() => setOpen(null)} />}
        {open === 'help' && <ShortcutHelp onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  );
}
