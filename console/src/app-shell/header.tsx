import { useNavigate, useParams } from '@tanstack/react-router';
import { CircleUserRound, Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Mode } from '../api/kinora.ts';
import { useSession } from '../api/session.ts';
import { IconButton } from '../design/button.tsx';
import { classes } from '../design/classes.ts';
import { Select } from '../design/select.tsx';
import { lastPlace, samePageHref } from './last-place.ts';

/** Menus need more code than the rest of the app shell together, so they load later. */
const loadPersonMenu = () => import('./person-menu.tsx').then(({ PersonMenu }) => ({ default: PersonMenu }));
const PersonMenu = lazy(loadPersonMenu);

/** Project, mode, search and person. In test mode the whole header is blue. */
export function Header({ onSearch }: { onSearch: () => void }) {
  const session = useSession();
  const navigate = useNavigate();
  const { project, mode } = useParams({ strict: false }) as { project?: string; mode?: Mode };
  const place = project && mode ? { project, mode } : lastPlace(session.projects);
  const go = (next: { project: string; mode: Mode }): void => void navigate({ href: samePageHref(next) });
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
                  'h-6 rounded-small px-2 text-small font-medium',
                  place.mode !== one && 'text-quiet hover:text-ink',
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
      <PersonMenuButton name={session.person.name} />
    </header>
  );
}

/** The button of the person's menu. The menu itself is loaded when somebody comes near it. */
function PersonMenuButton({ name }: { name: string }) {
  const [isWanted, setIsWanted] = useState(false);
  const button = (
    <IconButton
      label={name}
      onPointerEnter={() => void loadPersonMenu()}
      onFocus={() => void loadPersonMenu()}
      onClick={() => setIsWanted(true)}
    >
      <CircleUserRound />
    </IconButton>
  );
  return <Suspense fallback={button}>{isWanted ? <PersonMenu /> : button}</Suspense>;
}
