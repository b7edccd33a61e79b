import type { Estimate } from '@kinora/sdk';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useProject } from '../../api/project.tsx';
import { useDebounced } from '../../api/use-debounced.ts';
import type { VideoRequest } from '../../request-code/video-request.ts';

/** Asks what a request would make, how long it takes and what it costs, once the person stops changing it. */
export function useEstimate(request: VideoRequest): UseQueryResult<Estimate> {
  const { kinora, key } = useProject();
  // A text, because a new object of the same request is not a change.
  const settled = useDebounced(JSON.stringify(request), 350);
  return useQuery({
    queryKey: [...key, 'estimate', settled],
    queryFn: ({ signal }): Promise<Estimate> => kinora.videos.estimate(JSON.parse(settled) as VideoRequest, { signal }),
    enabled: request.prompt !== '' && settled.includes('"prompt":"') && !settled.includes('"prompt":""'),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
