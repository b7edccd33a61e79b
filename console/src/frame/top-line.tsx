import { useNavigate, useParams } from '@tanstack/react-router';
import { CircleUserRound, LogOut, Moon, Search, Sun, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { Mode } from '../api/kinora.ts';
import { useSession } from '../api/session.ts';
import { signOut } from '../api/sign-out.ts';
import { IconButton } from '../design/button.tsx';
import { classes } from '../design/classes.ts';
import { Menu, type MenuAction } from '../design/menu.tsx';
import { Select } from '../design/select.tsx';
import { lastPlace } from './last-place.ts';
import { managePages, operatorPages } from './pages-of.ts';

/** Project, mode, search and person. In test mode the whole line is blue. */
export function TopLine({ onSearch }: { onSearch: () => void }) {
  const session = useSession();
  const navigate = useNavigate();
  const { project, mode } = useParams({ strict: false }) as { project?: string; mode?: Mode };
  const place = project && mode ? { project, mode } : lastPlace(session.projects);
  const go = (next: { project: string; mode: Mode }): void => {
    // Pages stay the same; a task belongs to one project and mode.
    const page = /^\/p\/[^/]+\/[^/]+\/([^/]+)/.exec(location.pathname)?.[1] ?? 'create';
    void navigate({ href: `/p/${next.project}/${next.mode}/${page === 'tasks' ? 'gallery' : page}` });
  };
  return (
    <header
      className={classes(
        'sticky top-0 z-20 flex h-12 items-center gap-3 border-b px-4',
        place?.mode === 'test' && project ? 'border-test/60 bg-test-soft' : 'bg-ground',
      )}
    >
      {place && (
        <>
          <Select
            label="Project"
            isBare
            className="w-44 max-w-[40vw]"
            value={place.project}
            options={session.projects.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => go({ project: id, mode: place.mode })}
          />
          <div role="group" aria-label="Mode" className="flex rounded-box border border-line-strong p-px">
            {(['live', 'test'] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={place.mode === one}
                onClick={() => go({ project: place.project, mode: one })}
                className={classes(
                  'h-6 rounded-small px-2 text-small font-medium text-quiet',
                  place.mode === one && (one === 'test' ? 'bg-test text-ground' : 'bg-raised-more text-ink'),
                )}
              >
                {one === 'live' ? 'Live' : 'Test'}
              </button>
            ))}
          </div>
        </>
      )}
      <div className="grow" />
      <button
        type="button"
        onClick={onSearch}
        className="hidden h-8 w-56 items-center gap-2 rounded-box border border-line-strong bg-ground px-2.5 text-quiet hover:text-ink sm:flex"
      >
        <Search className="size-4" />
        <span className="grow text-left">Search</span>
        <kbd className="text-small">⌘K</kbd>
      </button>
      <IconButton label="Search" className="sm:hidden" onClick={onSearch}>
        <Search />
      </IconButton>
      <PersonMenu />
    </header>
  );
}

function PersonMenu() {
  const { person, projects } = useSession();
  const navigate = useNavigate();
  const [theme, setTheme] = useState(document.documentElement.dataset['theme']);
  const turn = (): void => {
    const next = theme === 'light' ? 'dark' : 'light';
    localStorage.setItem('kinora.theme', next);
    document.documentElement.dataset['theme'] = next;
    setTheme(next);
  };
  // The bottom bar of a phone has no room for these.
  const onPhone = matchMedia('(max-width: 767px)').matches;
  const place = lastPlace(projects);
  const pages: MenuAction[] = !onPhone
    ? []
    : [
        ...(place
          ? managePages.map(({ name, to }) => ({ label: name, onSelect: () => void navigate({ to, params: place }) }))
          : []),
        ...(person.is_operator
          ? operatorPages.map(({ name, to }) => ({ label: name, onSelect: () => void navigate({ to }) }))
          : []),
      ];
  return (
    <Menu
      trigger={
        <IconButton label={person.name}>
          <CircleUserRound />
        </IconButton>
      }
      actions={[
        ...pages,
        ...(pages.length > 0 ? [null] : []),
        { label: person.name, icon: <UserRound />, onSelect: () => void navigate({ to: '/me' }) },
        {
          label: theme === 'light' ? 'Dark theme' : 'Light theme',
          icon: theme === 'light' ? <Moon /> : <Sun />,
          onSelect: turn,
        },
        null,
        { label: 'Sign out', icon: <LogOut />, onSelect: () => void signOut() },
      ]}
    />
  );
}
