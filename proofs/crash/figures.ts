import { countFollowed, countHits } from './check-history.ts';
import { failpoints, type History, parts, roles } from './history.ts';

/** Returns the figures of a run, for the JSON line at its end. */
export function figuresOf(history: History): Record<string, number | string> {
  const { tasks, kills, attempts, submits, events } = history;
  const count = (status: string): number => tasks.filter((task) => task.status === status).length;
  const ends = events.filter((event) => event.type === 'video.completed').map((event) => event.at);
  const seconds = (values: (number | null)[]) => values.filter((value) => value !== null).map((value) => value / 1000);
  const back = seconds(kills.map((kill) => kill.readyAt && kill.readyAt - kill.at));
  const nextVideo = seconds(kills.map((kill) => firstAfter(ends, kill.at)));
  const takenOver = seconds(
    kills.map((kill) => (kill.target === 'worker' ? firstAfter(history.takeoversAt, kill.at) : null)),
  );
  return {
    tasks: tasks.length,
    completed: count('completed'),
    cancelled: count('cancelled'),
    failed: count('failed'),
    responsesLost: tasks.length - history.posts.filter((post) => post.taskId !== null).length,
    kills: kills.length,
    killsOf: [...roles, ...parts]
      .map((name) => `${name} ${kills.filter((kill) => kill.target === name).length}`)
      .join(', '),
    hitsOf: failpoints.map((name) => `${name} ${countHits(history, name)}`).join(', '),
    diedByItself: history.deaths.length,
    terminated: history.terminations.length,
    drains: history.drains.length,
    takeovers: attempts.reduce((sum, attempt) => sum + attempt.takeovers, 0),
    followedTakeovers: countFollowed(history),
    attempts: attempts.length,
    lostAttempts: attempts.filter(({ outcome }) => outcome?.startsWith('engine_')).length,
    refusedAttempts: attempts.filter(({ outcome }) => outcome === 'refused').length,
    submits: submits.length,
    reconcilerRestarts: history.findings.filter((finding) => finding.kind === 'restarted').length,
    objects: history.objects.length,
    backInUseSeconds: spread(back),
    nextVideoSeconds: spread(nextVideo),
    takeoverSeconds: spread(takenOver),
  };
}

function firstAfter(moments: readonly number[], at: number): number | null {
  const later = moments.filter((moment) => moment >= at).map((moment) => moment - at);
  return later.length === 0 ? null : Math.min(...later);
}

function spread(values: number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return `median ${at(0.5)}, p90 ${at(0.9)}, most ${at(1)}`;
}
