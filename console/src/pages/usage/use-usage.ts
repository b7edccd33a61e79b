import { useQuery } from '@tanstack/react-query';
import { useCallers } from '../../api/callers.ts';
import { useProject } from '../../api/project.tsx';
import { modelsQuery } from '../../api/project-queries.ts';
import { pricesOf } from './usage-cost.ts';
import type { UsagePeriod } from './usage-period.ts';
import type { Bucket } from './usage-series.ts';

/** Reads everything that the page shows of a period. */
export function useUsage({ start, end, before: earlier, bucket }: UsagePeriod) {
  const { kinora, key } = useProject();
  const part = (name: string, query: Parameters<typeof kinora.usage.get>[0]) => ({
    queryKey: [...key, 'usage', name, query],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Bucket[]> =>
      (await kinora.usage.get(query, { signal })).data,
    refetchInterval: 60_000,
  });
  const now = { start, end, bucket };
  const total = useQuery(part('total', now));
  const byCode = useQuery(part('code', { ...now, group_by: 'code' }));
  const byModel = useQuery(part('model', { ...now, group_by: 'model' }));
  const byKey = useQuery(part('key', { ...now, group_by: 'key' }));
  const before = useQuery(part('before', { ...earlier, group_by: 'model' }));
  const models = useQuery(modelsQuery({ kinora, key }));
  const callers = useCallers();
  const nameOf = {
    model: (id: string): string => models.data?.find((model) => model.id === id)?.name ?? id,
    key: (id: string): string => callers.get(id)?.name ?? id,
    code: (id: string): string => id,
  };
  const prices = models.data ? pricesOf(models.data) : null;
  return { total, byCode, byModel, byKey, before, models, prices, nameOf };
}
