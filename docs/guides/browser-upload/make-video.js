/** Sends the picture to our backend and follows the task; resolves to the URL of the finished video. */
export async function makeVideo(backendUrl, { prompt, image }, onProgress) {
  const form = new FormData();
  form.set('prompt', prompt);
  form.set('image', image);
  let { id, events_url: eventsUrl } = await ask(backendUrl, { method: 'POST', body: form });
  for (;;) {
    const task = await follow(eventsUrl, onProgress);
    if (task.status === 'completed') return task.video_url;
    if (task.is_final) throw new Error(task.error?.message ?? 'The video was cancelled.');
    // The URL ends after an hour. If the task takes longer, our backend gets a fresh one.
    ({ id, events_url: eventsUrl } = await ask(`${backendUrl}/${id}`));
  }
}

async function ask(url, init) {
  const response = await fetch(url, init);
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

/** Resolves to the task when it is final, or to its last known state when the URL is refused because it has expired. */
function follow(eventsUrl, onProgress) {
  return new Promise((resolve, reject) => {
    let task = null;
    const events = new EventSource(eventsUrl);
    events.addEventListener('task', ({ data }) => {
      task = JSON.parse(data);
      onProgress(task);
      if (!task.is_final) return;
      events.close();
      resolve(task);
    });
    events.addEventListener('error', () => {
      // A browser reconnects by itself if the connection breaks; CLOSED means that the service refused the URL.
      if (events.readyState !== EventSource.CLOSED) return;
      if (task) resolve(task);
      else reject(new Error('The progress cannot be read.'));
    });
  });
}
