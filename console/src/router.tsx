import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { sessionQuery } from './api/session.ts';
import { AppShell } from './app-shell/app-shell.tsx';
import { lastPlace } from './app-shell/last-place.ts';
import { ProjectLayout } from './app-shell/project-layout.tsx';
import { RootProblem } from './app-shell/root-problem.tsx';
import { Empty } from './design/states.tsx';
import { readAuditLogSearch } from './pages/audit-log/audit-log-search.ts';
import { readCreateSearch } from './pages/create/create-search.ts';
import { readEnginesSearch } from './pages/engines/engines-search.ts';
import { readGallerySearch } from './pages/gallery/gallery-search.ts';
import { readPeopleSearch } from './pages/people/people-search.ts';
import { readUsageSearch } from './pages/usage/usage-search.ts';
import { readWebhooksSearch } from './pages/webhooks/webhooks-search.ts';

/** Browsers drop tabs and line breaks in an address, and take a backslash for a slash. */
function isOwnPath(path: string): boolean {
  return /^\/(?!\/)[^\\\p{Cc}]*$/u.test(path);
}

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => <Empty title="Page not found">Check the address for a typing error.</Empty>,
  errorComponent: RootProblem,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next, problem }: Record<string, unknown>) => ({
    // Only an address of the console itself: another one would make the sign-in a trap.
    ...(typeof next === 'string' && isOwnPath(next) ? { next } : {}),
    ...(typeof problem === 'string' ? { problem } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/sign-in/welcome-page.tsx'), 'WelcomePage'),
});
const setPassword = createRoute({
  getParentRoute: () => root,
  path: '/set-password',
  component: lazyRouteComponent(() => import('./pages/sign-in/set-password-page.tsx'), 'SetPasswordPage'),
});

/** Everything that needs a session. */
const appShell = createRoute({
  getParentRoute: () => root,
  id: 'app-shell',
  component: AppShell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session.signed_in) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { session };
  },
});
const home = createRoute({
  getParentRoute: () => appShell,
  path: '/',
  beforeLoad: ({ context }) => {
    const place = lastPlace(context.session.projects);
    if (!place) return;
    const isViewer = context.session.projects.some(({ id, role }) => id === place.project && role === 'viewer');
    throw redirect({ to: isViewer ? '/p/$project/$mode/gallery' : '/p/$project/$mode/create', params: place });
  },
  component: () => (
    <Empty title="You are not a member of any project yet">Ask a project admin or an operator to add you.</Empty>
  ),
});

const project = createRoute({
  getParentRoute: () => appShell,
  path: '/p/$project/$mode',
  component: ProjectLayout,
  params: {
    parse: ({ project: id, mode }) => ({ project: id, mode: mode === 'live' ? ('live' as const) : ('test' as const) }),
  },
});
const create = createRoute({
  getParentRoute: () => project,
  path: 'create',
  validateSearch: readCreateSearch,
  component: lazyRouteComponent(() => import('./pages/create/create-page.tsx'), 'CreatePage'),
});
const queue = createRoute({
  getParentRoute: () => project,
  path: 'queue',
  component: lazyRouteComponent(() => import('./pages/queue/queue-page.tsx'), 'QueuePage'),
});
const gallery = createRoute({
  getParentRoute: () => project,
  path: 'gallery',
  validateSearch: readGallerySearch,
  component: lazyRouteComponent(() => import('./pages/gallery/gallery-page.tsx'), 'GalleryPage'),
});
const task = createRoute({
  getParentRoute: () => project,
  path: 'tasks/$task',
  component: lazyRouteComponent(() => import('./pages/task/task-page.tsx'), 'TaskPage'),
});
const usage = createRoute({
  getParentRoute: () => project,
  path: 'usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
});
const keys = createRoute({
  getParentRoute: () => project,
  path: 'keys',
  component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
});
const webhooks = createRoute({
  getParentRoute: () => project,
  path: 'webhooks',
  validateSearch: readWebhooksSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const limits = createRoute({
  getParentRoute: () => project,
  path: 'limits',
  component: lazyRouteComponent(() => import('./pages/limits/limits-page.tsx'), 'LimitsPage'),
});
const auditLog = createRoute({
  getParentRoute: () => project,
  path: 'audit-log',
  validateSearch: readAuditLogSearch,
  component: lazyRouteComponent(() => import('./pages/audit-log/audit-log-page.tsx'), 'AuditLogPage'),
});
const members = createRoute({
  getParentRoute: () => project,
  path: 'members',
  component: lazyRouteComponent(() => import('./pages/members/members-page.tsx'), 'MembersPage'),
});

const engines = createRoute({
  getParentRoute: () => appShell,
  path: '/engines',
  validateSearch: readEnginesSearch,
  component: lazyRouteComponent(() => import('./pages/engines/engines-page.tsx'), 'EnginesPage'),
});
const projects = createRoute({
  getParentRoute: () => appShell,
  path: '/projects',
  component: lazyRouteComponent(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage'),
});
const people = createRoute({
  getParentRoute: () => appShell,
  path: '/people',
  validateSearch: readPeopleSearch,
  component: lazyRouteComponent(() => import('./pages/people/people-page.tsx'), 'PeoplePage'),
});
const health = createRoute({
  getParentRoute: () => appShell,
  path: '/health',
  component: lazyRouteComponent(() => import('./pages/health/health-page.tsx'), 'HealthPage'),
});
const profile = createRoute({
  getParentRoute: () => appShell,
  path: '/me',
  component: lazyRouteComponent(() => import('./pages/profile/profile-page.tsx'), 'ProfilePage'),
});

const routeTree = root.addChildren([
  signIn,
  welcome,
  setPassword,
  appShell.addChildren([
    home,
    project.addChildren([create, queue, gallery, task, usage, keys, webhooks, limits, auditLog, members]),
    engines,
    projects,
    people,
    health,
    profile,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
