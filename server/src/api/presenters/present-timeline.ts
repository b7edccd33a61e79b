import type { Timeline } from '../../domain/timeline.ts';
import { unixSeconds } from '../../http/unix-seconds.ts';
import type { PublicTimeline } from '../schemas/timeline-schema.ts';

/** Returns a timeline as callers see it: names of endpoints and codes, never a URL or an engine's own messages. */
export function presentTimeline({ task, seconds, stages, attempts }: Timeline): PublicTimeline {
  return {
    id: task.id,
    task_id: task.id,
    object: 'video.timeline',
    status: task.status,
    created_at: unixSeconds(task.createdAt),
    started_at: task.startedAt && unixSeconds(task.startedAt),
    completed_at: 'completedAt' in task ? unixSeconds(task.completedAt) : null,
    seconds,
    stages: stages.map((stage) => ({
      stage: stage.stage,
      attempt: stage.attempt,
      started_at: unixSeconds(stage.startedAt),
      ended_at: stage.endedAt && unixSeconds(stage.endedAt),
      seconds: stage.seconds,
    })),
    attempts: attempts.map((attempt) => ({
      attempt: attempt.attempt,
      endpoint: attempt.endpoint,
      started_at: unixSeconds(attempt.beganAt),
      began_at: unixSeconds(attempt.beganAt),
      ended_at: attempt.endedAt && unixSeconds(attempt.endedAt),
      engine_seconds: attempt.engineSeconds,
      takeovers: attempt.takeovers,
      outcome: attempt.outcome,
    })),
  };
}
