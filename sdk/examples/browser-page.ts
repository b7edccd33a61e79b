import { followEventsUrl } from '@kinora/sdk';

/** Calls our own backend, which sends the id of a task and a URL that shows it. */
async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return (await response.json()) as { id: string; eventsUrl: string };
}

/** Runs when a button is pressed: calls the backend, shows the progress, and returns a URL for the player. */
export async function makeVideo(prompt: string, show: (text: string) => void, backend = '/videos') {
  const { id, eventsUrl } = await ask(backend, { method: 'POST', body: prompt });
  // The URL ends after an hour. If the task takes longer, the backend gives the page a fresh one.
  const freshUrl = async () => (await ask(`${backend}/${id}`)).eventsUrl;
  for await (const task of followEventsUrl(eventsUrl, { freshUrl })) {
    show(`${task.stage} ${task.progress} %`);
    if (task.status === 'completed') return task.video_url;
    if (task.is_final) show(task.error?.message ?? task.status);
  }
  return null;
}
