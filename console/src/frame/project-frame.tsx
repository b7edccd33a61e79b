import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Mode } from '../api/kinora.ts';
import { LiveTasksProvider } from '../api/live-tasks.tsx';
import { useSession } from '../api/session.ts';
import { Empty } from '../design/states.tsx';
import { rememberPlace } from './last-place.ts';

/** What all pages of a project share: the check that the person is a member, and the stream of its tasks. */
export function ProjectFrame() {
  const { projects } = useSession();
  const { project, mode } = useParams({ strict: false }) as { project: string; mode: Mode };
  const isMember = projects.some(({ id }) => id === project);
  useEffect(() => {
    if (isMember) rememberPlace(project, mode);
  }, [isMember, project, mode]);
  if (!isMember) {
    return (
      <Empty title="There is no such project">
        It does not exist, or you are not a member of it. Choose another one at the top.
      </Empty>
    );
  }
  return (
    <LiveTasksProvider key={`${project}/${mode}`}>
      <Outlet />
    </LiveTasksProvider>
  );
}
