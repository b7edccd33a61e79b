import { followEventsUrl } from '@kinora/sdk';

/** What a page does when a button is pressed: asks its backend, shows the progress, and has a URL for its player in the end. */
export async function makeVideo(prompt: string, show: (text: string) => void, backend = '/videos') {
  const answer = await fetch(backend, { method: 'POST', body: prompt });
  const { eventsUrl } = (await answer.json()) as { eventsUrl: string }; // of the backend, which is ours
  for await (const task of followEventsUrl(eventsUrl)) {
    show(`${task.stage} ${task.progress} %`);
    if (task.status === 'completed') return task.video_url;
    if (task.is_final) show(task.error?.message ?? task.status);
  }
  return null;
}
