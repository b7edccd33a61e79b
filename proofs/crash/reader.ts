import { ask, readTask } from './ask.ts';
import { pause, type World } from './world.ts';

const everySeconds = 0.3;

/** Reads tasks as clients poll, ended ones too, and notes every final status it is told. */
export async function readNowAndThen(world: World, isOver: () => boolean): Promise<void> {
  const { installation, history } = world;
  const headers = { authorization: `Bearer ${installation.testKey}` };
  while (!isOver()) {
    const accepted = history.posts.flatMap(({ taskId }) => (taskId === null ? [] : [taskId])).slice(-80);
    const taskId = accepted[Math.floor(Math.random() * accepted.length)];
    const answer = taskId === undefined ? null : await ask(`${installation.url}/v1/videos/${taskId}`, { headers });
    if (taskId !== undefined && answer?.status === 200) {
      const { status, is_final: isFinal } = readTask(answer.text);
      if (isFinal) history.observations.push({ taskId, status });
    } else if (answer && answer.status !== 503) {
      history.unexpectedAnswers.push({ request: `GET ${taskId}`, status: answer.status, body: answer.text });
    }
    await pause(world, everySeconds);
  }
}
