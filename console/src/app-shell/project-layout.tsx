import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Mode } from '../api/kinora.ts';
import { LiveTasksProvider } from '../api/live-tasks.tsx';
import { useSession } from '../api/session.ts';
import { Empty } from '../design/states.tsx';
import { rememberPlace } from './last-place.ts';

/** The layout of all pages of a project: it checks that the person is a member, and streams the tasks. */
export function ProjectLayout() {
  const { projects } = useSession();
  const { project, mode } = useParams({ strict: false }) as { project: string; mode: Mode };
  const isMember = projects.some(({ id }) => id === project);
  useEffect(() => {
    if (isMember) rememberPlace(project, mode);
  }, [isMember, project, mode]);
  if (!isMember) {
    return (
      <Empty title="Project not found">
        The project does not exist, or you are not a member. Choose another project at the top.
      </Empty>
    );
  }
  return (
    <LiveTasksProvider key={`${project}/${mode}`}>
      <Outlet />
    </LiveTasksProvider>
  );
}
