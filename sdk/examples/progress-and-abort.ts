import { Kinora, TaskCancelledError, TaskFailedError } from '@kinora/sdk';

const kinora = new Kinora();
const [, , prompt = 'a train in the mountains'] = process.argv;

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

try {
  const task = await kinora.videos.run(
    { prompt, resolution: '480p', duration: 1 },
    {
      signal: stop.signal, // an abort cancels the task
      onProgress: ({ stage, progress, queue_position: position }) => {
        console.log(position === null ? `${stage} ${progress} %` : `queued, position ${position}`);
      },
    },
  );
  console.log(`done: ${task.video.url}`);
} catch (error) {
  if (error instanceof TaskCancelledError) console.log(`cancelled: ${error.task?.id}`);
  else if (error instanceof TaskFailedError) console.log(`failed: ${error.message} (${error.code})`);
  else throw error;
}
