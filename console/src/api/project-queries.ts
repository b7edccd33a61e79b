import type { Kinora } from '@kinora/sdk';
import { queryOptions } from '@tanstack/react-query';

interface Place {
  kinora: Kinora;
  /** The project and the mode, with which every query key of them begins. */
  key: readonly [string, string];
}

/** The models that the project may use. They change rarely. */
export const modelsQuery = ({ kinora, key }: Place) =>
  queryOptions({
    queryKey: [...key, 'models'],
    queryFn: async ({ signal }) => (await kinora.models.list({ signal })).data,
    staleTime: 60_000,
  });

/** The limits of the project and how much of each is in use. */
export const limitsQuery = ({ kinora, key }: Place) =>
  queryOptions({ queryKey: [...key, 'limits'], queryFn: ({ signal }) => kinora.limits.get({ signal }) });
