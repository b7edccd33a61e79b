/** Sends the picture to our backend and follows the task; resolves with the address of the finished video. */
export async function makeVideo(backendUrl, { prompt, image }, onProgress) {
  const form = new FormData();
  form.set('prompt', prompt);
  form.set('image', image);
  const response = await fetch(backendUrl, { method: 'POST', body: form });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);

  return new Promise((resolve, reject) => {
    // Signed for this task and an hour; a browser reconnects by itself when the line breaks.
    const events = new EventSource(answer.events_url);
    events.addEventListener('task', ({ data }) => {
      const task = JSON.parse(data);
      onProgress(task);
      if (!task.is_final) return;
      events.close();
      if (task.status === 'completed') resolve(task.video_url);
      else reject(new Error(task.error?.message ?? 'The video was cancelled.'));
    });
    events.addEventListener('error', () => {
      // While it reconnects, all is well; closed means that the service has refused the address.
      if (events.readyState === EventSource.CLOSED) reject(new Error('The progress cannot be read any more.'));
    });
  });
}
