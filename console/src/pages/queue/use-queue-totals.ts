import { useQuery } from '@tanstack/react-query';
import { useProject } from '../../api/project.tsx';
import { limitsQuery } from '../../api/project-queries.ts';

/** Returns how many tasks run and wait. While not all of them are loaded, the service's own count says it. */
export function useQueueTotals(loaded: { running: number; waiting: number; hasMore: boolean }) {
  const { kinora, key } = useProject();
  const { data } = useQuery({ ...limitsQuery({ kinora, key }), refetchInterval: 5_000 });
  return {
    running: loaded.running,
    waiting: loaded.hasMore ? Math.max(loaded.waiting, data?.waiting.used ?? 0) : loaded.waiting,
  };
}
