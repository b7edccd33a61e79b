import { unlessBroken } from '@kinora/stack/harness/api-client';
import { randomFor } from '@kinora/stack/harness/seeded-random';
import { pause, type World } from './crash-world.ts';

const everySeconds = 0.3;

/** Polls random tasks as clients do, ended ones too, and records every final status that it reads. */
export async function pollTasks(world: World, isOver: () => boolean): Promise<void> {
  const { api, history } = world;
  const random = randomFor('crash/reader');
  while (!isOver()) {
    const accepted = history.posts.flatMap(({ taskId }) => (taskId === null ? [] : [taskId])).slice(-80);
    const taskId = accepted[random.below(accepted.length)];
    const response = taskId === undefined ? null : await unlessBroken(api.get(`/v1/videos/${taskId}`));
    if (taskId !== undefined && response?.status === 200) {
      const { status, is_final: isFinal } = response.body;
      if (isFinal) history.observations.push({ taskId, status });
    } else if (response && response.status !== 503) {
      history.unexpectedResponses.push({ request: `GET ${taskId}`, status: response.status, body: response.text });
    }
    await pause(world, everySeconds);
  }
}
