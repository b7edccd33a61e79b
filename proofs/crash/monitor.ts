import { pause, type World } from './crash-world.ts';
import { failpoints } from './history.ts';

const everySeconds = 1;
const reportEverySeconds = 15;

/** Updates `taskCounts` every second and reports progress every 15 s. */
export async function monitor(world: World, isOver: () => boolean): Promise<void> {
  const { rows, taskCounts, history, report } = world;
  let reportedAt = 0;
  while (!isOver()) {
    const [counts] = await rows.query<{ active: number; ended: number }>(
      `select count(*) filter (where status in ('queued', 'in_progress'))::int as active,
              count(*) filter (where status not in ('queued', 'in_progress'))::int as ended from tasks`,
    );
    Object.assign(taskCounts, counts);
    taskCounts.posted = history.posts.filter((post) => post.taskId !== null).length;
    if (Date.now() - reportedAt > reportEverySeconds * 1000) {
      reportedAt = Date.now();
      report(progressOf(world));
    }
    await pause(world, everySeconds);
  }
}

function progressOf({ taskCounts, history }: World): string {
  const hits = failpoints.map((name) => history.kills.filter((kill) => kill.failpoint === name).length);
  return (
    `${taskCounts.posted} accepted, ${taskCounts.active} active, ${taskCounts.ended} ended; ${history.kills.length} kills, ` +
    `failpoints ${hits.join('/')}, ${history.terminations.length} terminated, ${history.drains.length} drained, ` +
    `${history.takeoversAt.length} takeovers`
  );
}
