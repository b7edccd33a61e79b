import type { Task } from '@kinora/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeftRight, Clapperboard, Cpu, Film, FolderOpen, LogOut, type LucideIcon, SunMoon } from 'lucide-react';
import { kinoraFor, type Mode } from '../api/kinora.ts';
import { rankOf, useSession } from '../api/session.ts';
import { signOut } from '../api/sign-out.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { fuzzyFilter } from './fuzzy.ts';
import { lastPlace, samePageHref } from './last-place.ts';
import { managePages, operatorPages, workPages } from './pages-of.ts';
import { setTheme, useTheme } from './theme.ts';
import { useFoundTasks } from './use-found-tasks.ts';

/** Something that the menu can do or open. */
export interface Command {
  id: string;
  group: 'Pages' | 'Actions' | 'Models' | 'Tasks';
  label: string;
  /** A few words after the label. */
  note?: string;
  icon: LucideIcon;
  /** Shown by its picture instead of the icon. */
  task?: Task;
  run: () => void;
}

/** A pause of 150 ms in typing; every request looks through all prompts of the project. */
const typingMilliseconds = 150;

/** Returns what fits the typed text, group by group. */
export function useCommands(typed: string): { commands: Command[]; isSearching: boolean } {
  const { api_url, person, projects } = useSession();
  const navigate = useNavigate();
  const { shown: theme } = useTheme();
  const params = useParams({ strict: false }) as { project?: string; mode?: Mode };
  const place = params.project && params.mode ? { project: params.project, mode: params.mode } : lastPlace(projects);
  const current = projects.find(({ id }) => id === place?.project);
  const kinora = place && current ? kinoraFor(api_url, place.project, place.mode) : null;
  const role = rankOf[current?.role ?? 'viewer'];
  const { data: models } = useQuery({
    queryKey: [place?.project, place?.mode, 'models'],
    queryFn: async ({ signal }) => (await kinora?.models.list({ signal }))?.data ?? [],
    enabled: kinora !== null,
    staleTime: 60_000,
  });
  const settled = useDebounced(typed.trim(), typingMilliseconds);
  const found = useFoundTasks(kinora, [place?.project, place?.mode], settled);

  const pages: Command[] = [
    ...(place && current
      ? [...workPages, ...managePages]
          .filter((page) => rankOf[page.role] <= role)
          .map(({ name, to, icon }) => ({ name, icon, run: () => void navigate({ to, params: place }) }))
      : []),
    ...(person.is_operator
      ? operatorPages.map(({ name, to, icon }) => ({ name, icon, run: () => void navigate({ to }) }))
      : []),
  ].map(({ name, icon, run }) => ({ id: `page-${name}`, group: 'Pages', label: name, icon, run }));
  const otherMode: Mode = place?.mode === 'live' ? 'test' : 'live';
  const otherTheme = theme === 'light' ? 'dark' : 'light';
  const actions: Command[] = [
    ...(place && current && role >= rankOf.developer
      ? [action('Create a video', Clapperboard, () => navigate({ to: '/p/$project/$mode/create', params: place }))]
      : []),
    ...(place && current
      ? [
          action(`Switch to ${otherMode} mode`, ArrowLeftRight, () =>
            navigate({ href: samePageHref({ ...place, mode: otherMode }) }),
          ),
        ]
      : []),
    ...projects
      .filter(({ id }) => id !== place?.project)
      .map(({ id, name }) =>
        action(`Open project ${name}`, FolderOpen, () =>
          navigate({ href: samePageHref({ project: id, mode: place?.mode ?? 'test' }) }),
        ),
      ),
    action(`Switch to ${otherTheme} theme`, SunMoon, () => setTheme(otherTheme)),
    action('Sign out', LogOut, () => signOut()),
  ];
  const modelCommands: Command[] =
    place && role >= rankOf.developer
      ? (models ?? []).map(({ id, name, available }) => ({
          id: `model-${id}`,
          group: 'Models',
          label: name,
          note: available ? id : `${id}, not available`,
          icon: Cpu,
          run: () => void navigate({ to: '/p/$project/$mode/create', params: place, search: { model: id } }),
        }))
      : [];
  const tasks: Command[] = (place ? found.tasks : []).map((task) => ({
    id: `task-${task.id}`,
    group: 'Tasks',
    label: task.prompt,
    icon: Film,
    task,
    run: () => void (place && navigate({ to: '/p/$project/$mode/tasks/$task', params: { ...place, task: task.id } })),
  }));
  if (place && found.hasMore) {
    tasks.push({
      id: 'tasks-all',
      group: 'Tasks',
      label: `All videos matching “${settled}”`,
      icon: Film,
      run: () => void navigate({ to: '/p/$project/$mode/gallery', params: place, search: { q: settled } }),
    });
  }
  const fitting = [pages, actions, modelCommands].flatMap((group) =>
    fuzzyFilter(group, typed, ({ label, note, group: name }) => `${label} ${note ?? ''} ${name}`),
  );
  return { commands: [...fitting, ...tasks], isSearching: found.isSearching || typed.trim() !== settled };
}

function action(label: string, icon: LucideIcon, run: () => unknown): Command {
  return { id: `action-${label}`, group: 'Actions', label, icon, run: () => void run() };
}
