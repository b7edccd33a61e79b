import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, LogOut, Moon, Sun, UserRound } from 'lucide-react';
import { rankOf, useSession } from '../api/session.ts';
import { signOut } from '../api/sign-out.ts';
import { IconButton } from '../design/button.tsx';
import { Menu, type MenuAction } from '../design/menu.tsx';
import { lastPlace } from './last-place.ts';
import { managePages, operatorPages } from './pages-of.ts';
import { setTheme, useTheme } from './theme.ts';

/** The menu of the signed-in person: profile, theme and, on a phone, the pages that do not fit into the bottom bar. */
export function PersonMenu() {
  const { person, projects } = useSession();
  const navigate = useNavigate();
  const { shown: theme } = useTheme();
  // The bottom bar of a phone has no room for these.
  const onPhone = matchMedia('(max-width: 767px)').matches;
  const place = lastPlace(projects);
  const role = projects.find(({ id }) => id === place?.project)?.role ?? 'viewer';
  const pages: MenuAction[] = !onPhone
    ? []
    : [
        ...(place
          ? managePages
              .filter((page) => rankOf[page.role] <= rankOf[role])
              .map(({ name, to }) => ({ label: name, onSelect: () => void navigate({ to, params: place }) }))
          : []),
        ...(person.is_operator
          ? operatorPages.map(({ name, to }) => ({ label: name, onSelect: () => void navigate({ to }) }))
          : []),
      ];
  return (
    <Menu
      isOpenAtFirst
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
          onSelect: () => setTheme(theme === 'light' ? 'dark' : 'light'),
        },
        null,
        { label: 'Sign out', icon: <LogOut />, onSelect: () => void signOut() },
      ]}
    />
  );
}
