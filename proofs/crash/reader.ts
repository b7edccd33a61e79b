import { unlessBroken } from '@kinora/stack/harness/api-client';
import { pause, type World } from './crash-world.ts';

const everySeconds = 0.3;

/** Reads tasks as clients poll, ended ones too, and notes every final status it is told. */
export async function readNowAndThen(world: World, isOver: () => boolean): Promise<void> {
  const { api, history } = world;
  while (!isOver()) {
    const accepted = history.posts.flatMap(({ taskId }) => (taskId === null ? [] : [taskId])).slice(-80);
    const taskId = accepted[Math.floor(Math.random() * accepted.length)];
    const answer = taskId === undefined ? null : await unlessBroken(api.get(`/v1/videos/${taskId}`));
    if (taskId !== undefined && answer?.status === 200) {
      const { status, is_final: isFinal } = answer.body;
      if (isFinal) history.observations.push({ taskId, status });
    } else if (answer && answer.status !== 503) {
      history.unexpectedResponses.push({ request: `GET ${taskId}`, status: answer.status, body: answer.text });
    }
    await pause(world, everySeconds);
  }
}
