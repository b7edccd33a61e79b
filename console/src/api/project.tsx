import type { Kinora } from '@kinora/sdk';
import { useParams } from '@tanstack/react-router';
import { kinoraFor, type Mode } from './kinora.ts';
import { type ProjectRole, rankOf, type SessionProject, useSession } from './session.ts';

export interface CurrentProject extends SessionProject {
  mode: Mode;
  livemode: boolean;
  kinora: Kinora;
  /** The start of every query key of this project and mode. */
  key: readonly [string, Mode];
  /** Whether the person has at least this role here. The server decides; this only hides what would be refused. */
  may: (role: ProjectRole) => boolean;
}

/** Returns the project and mode of the page's address. */
export function useProject(): CurrentProject {
  const session = useSession();
  const { project: id, mode } = useParams({ strict: false }) as { project: string; mode: Mode };
  const project = session.projects.find((one) => one.id === id);
  if (!project) throw new Error('the page needs a project');
  return {
    ...project,
    mode,
    livemode: mode === 'live',
    kinora: kinoraFor(session.api_url, id, mode),
    key: [id, mode],
    may: (role) => rankOf[project.role] >= rankOf[role],
  };
}
