import { Link, useParams } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useState } from 'react';
import { rankOf, useSession } from '../api/session.ts';
import { IconButton } from '../design/button.tsx';
import { classes } from '../design/classes.ts';
import { Logo } from '../design/logo.tsx';
import { lastPlace } from './last-place.ts';
import { managePages, operatorPages, workPages } from './pages-of.ts';

const item =
  'flex h-8 items-center gap-2.5 rounded-box px-2.5 text-quiet hover:bg-raised-more hover:text-ink ' +
  'data-[status=active]:bg-raised-more data-[status=active]:text-ink data-[status=active]:font-medium';

/** The pages, at the left. It can be collapsed to icons. */
export function Sidebar({ isRendering }: { isRendering: boolean }) {
  const { projects, person } = useSession();
  const { project, mode } = useParams({ strict: false }) as { project?: string; mode?: 'live' | 'test' };
  const place = project && mode ? { project, mode } : lastPlace(projects);
  const role = projects.find(({ id }) => id === place?.project)?.role ?? 'viewer';
  const [isCollapsed, setIsCollapsed] = useState(localStorage.getItem('kinora.sidebar') === 'collapsed');
  const collapse = (next: boolean): void => {
    localStorage.setItem('kinora.sidebar', next ? 'collapsed' : 'expanded');
    setIsCollapsed(next);
  };
  const entry = (name: string, Icon: LucideIcon) => (
    <>
      <Icon className="size-4 shrink-0" />
      <span className={isCollapsed ? 'sr-only' : ''}>{name}</span>
    </>
  );
  return (
    <nav
      aria-label="Pages"
      className={classes(
        'sticky top-0 hidden h-dvh shrink-0 flex-col gap-4 overflow-y-auto border-r bg-raised p-3 md:flex',
        isCollapsed ? 'w-14' : 'w-50',
      )}
    >
      <Link to="/" className="flex h-8 items-center gap-2.5 px-1 text-read font-semibold" aria-label="Kinora">
        <Logo size={24} isSpinning={isRendering} />
        {!isCollapsed && 'Kinora'}
      </Link>
      {place &&
        [workPages, managePages].map((pages, index) => (
          <ul key={index} className="flex flex-col gap-0.5">
            {pages
              .filter((page) => rankOf[page.role] <= rankOf[role])
              .map(({ name, to, icon }) => (
                <li key={name}>
                  <Link to={to} params={place} title={name} className={item}>
                    {entry(name, icon)}
                  </Link>
                </li>
              ))}
          </ul>
        ))}
      {person.is_operator && (
        <ul aria-label="Operators" className="flex flex-col gap-0.5 border-t pt-4">
          {operatorPages.map(({ name, to, icon }) => (
            <li key={name}>
              <Link to={to} title={name} className={item}>
                {entry(name, icon)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className="grow" />
      <IconButton
        label={isCollapsed ? 'Expand the sidebar' : 'Collapse the sidebar'}
        onClick={() => collapse(!isCollapsed)}
      >
        {isCollapsed ? <PanelLeftOpen /> : <PanelLeftClose />}
      </IconButton>
    </nav>
  );
}

/** The four pages that people need on a phone, at the bottom. */
export function BottomBar() {
  const { projects } = useSession();
  const { project, mode } = useParams({ strict: false }) as { project?: string; mode?: 'live' | 'test' };
  const place = project && mode ? { project, mode } : lastPlace(projects);
  if (!place) return null;
  const role = projects.find(({ id }) => id === place.project)?.role ?? 'viewer';
  return (
    <nav aria-label="Pages" className="fixed inset-x-0 bottom-0 z-20 flex border-t bg-raised md:hidden">
      {workPages
        .filter((page) => rankOf[page.role] <= rankOf[role])
        .map(({ name, to, icon: Icon }) => (
          <Link
            key={name}
            to={to}
            params={place}
            className="flex grow basis-0 flex-col items-center gap-0.5 py-2 text-small text-quiet data-[status=active]:text-accent"
          >
            <Icon className="size-5" />
            {name}
          </Link>
        ))}
    </nav>
  );
}
