import { useQuery } from '@tanstack/react-query';
import type { Mode } from './kinora.ts';
import { kinoraFor } from './kinora.ts';
import { useSession } from './session.ts';

/** Returns whether something of the project is running: the logo turns then. */
export function useIsRendering({ project, mode }: { project?: string; mode?: Mode }): boolean {
  const { api_url, projects } = useSession();
  const isMember = projects.some(({ id }) => id === project);
  const { data } = useQuery({
    queryKey: [project, mode, 'limits'],
    queryFn: ({ signal }) => kinoraFor(api_url, project ?? '', mode ?? 'test').limits.get({ signal }),
    enabled: isMember && mode !== undefined,
    refetchInterval: 5_000,
  });
  return (data?.running.used ?? 0) > 0;
}
