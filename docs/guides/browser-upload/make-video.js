/** Sends the picture to our backend and follows the task; resolves to the URL of the finished video. */
export async function makeVideo(backendUrl, { prompt, image }, onProgress) {
  const form = new FormData();
  form.set('prompt', prompt);
  form.set('image', image);
  const response = await fetch(backendUrl, { method: 'POST', body: form });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);

  return new Promise((resolve, reject) => {
    // The URL is signed for this task and for an hour. A browser reconnects by itself if the connection breaks.
    const events = new EventSource(body.events_url);
    events.addEventListener('task', ({ data }) => {
      const task = JSON.parse(data);
      onProgress(task);
      if (!task.is_final) return;
      events.close();
      if (task.status === 'completed') resolve(task.video_url);
      else reject(new Error(task.error?.message ?? 'The video was cancelled.'));
    });
    events.addEventListener('error', () => {
      // Reconnecting is normal; CLOSED means that the service refused the URL.
      if (events.readyState === EventSource.CLOSED) reject(new Error('The progress cannot be read any more.'));
    });
  });
}
