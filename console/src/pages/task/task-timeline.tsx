import type { Task } from '@kinora/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useProject } from '../../api/project.tsx';
import { useNow } from '../../design/moment.tsx';
import { Problem, Skeleton } from '../../design/states.tsx';
import { TimelineChart } from './timeline-chart.tsx';
import { layOutTimeline } from './timeline-geometry.ts';

/** The timeline of a task. It is read again with every new stage, and grows in between. */
export function TaskTimeline({ task: { id, status, stage, attempt, is_final } }: { task: Task }) {
  const { kinora, key } = useProject();
  const now = useNow();
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: [...key, 'timeline', id],
    queryFn: ({ signal }) => kinora.videos.timeline(id, { signal }),
  });
  const state = `${status}/${stage}/${attempt}`;
  useEffect(() => {
    // A read that is under way may be of the stage before.
    if (state) void refetch();
  }, [state, refetch]);
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} isInline />;
  if (!data) return <Skeleton className="h-20" />;
  return <TimelineChart geometry={layOutTimeline(data, (now - dataUpdatedAt) / 1000)} isFinal={is_final} />;
}
