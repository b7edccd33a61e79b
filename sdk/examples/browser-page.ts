import { followEventsUrl } from '@kinora/sdk';

/** Runs when a button is pressed: calls the backend, shows the progress, and returns a URL for the player. */
export async function makeVideo(prompt: string, show: (text: string) => void, backend = '/videos') {
  const response = await fetch(backend, { method: 'POST', body: prompt });
  const { eventsUrl } = (await response.json()) as { eventsUrl: string }; // our own backend sends this
  for await (const task of followEventsUrl(eventsUrl)) {
    show(`${task.stage} ${task.progress} %`);
    if (task.status === 'completed') return task.video_url;
    if (task.is_final) show(task.error?.message ?? task.status);
  }
  return null;
}
