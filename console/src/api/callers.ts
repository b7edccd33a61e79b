import { useQuery } from '@tanstack/react-query';
import { consoleApi } from './console-api.ts';
import { useProject } from './project.tsx';

/** Who made requests: a program with a key, or a person in this console. */
export interface CallerName {
  key_id: string;
  name: string;
  type: 'key' | 'person';
  livemode: boolean;
  last_four: string;
}

const none: ReadonlyMap<string, CallerName> = new Map();

/** Returns the names of the callers of the project by the ids of their keys. Without them pages show the ids. */
export function useCallers(): ReadonlyMap<string, CallerName> {
  const { id } = useProject();
  const { data } = useQuery({
    queryKey: [id, 'callers'],
    queryFn: () => consoleApi<{ data: CallerName[] }>('GET', `/projects/${id}/callers`),
    select: ({ data }) => new Map(data.map((caller) => [caller.key_id, caller])),
    staleTime: 60_000,
  });
  return data ?? none;
}
