import type { Mode } from '../api/kinora.ts';
import type { SessionProject } from '../api/session.ts';

const name = 'kinora.place';

/** Remembers the project and mode that the person looks at, for the next visit. */
export function rememberPlace(project: string, mode: Mode): void {
  localStorage.setItem(name, `${project}/${mode}`);
}

/** Returns where the person was last, or the first project in test mode; null without a project. */
export function lastPlace(projects: readonly SessionProject[]): { project: string; mode: Mode } | null {
  const [id, mode] = (localStorage.getItem(name) ?? '').split('/');
  const known = projects.find((project) => project.id === id);
  if (known) return { project: known.id, mode: mode === 'live' ? 'live' : 'test' };
  const [first] = projects;
  return first ? { project: first.id, mode: 'test' } : null;
}

/** Returns the address of the present page in another project or mode. A task belongs to one of each. */
export function samePageHref({ project, mode }: { project: string; mode: Mode }): string {
  const page = /^\/p\/[^/]+\/[^/]+\/([^/]+)/.exec(location.pathname)?.[1] ?? 'create';
  return `/p/${project}/${mode}/${page === 'tasks' ? 'gallery' : page}`;
}
