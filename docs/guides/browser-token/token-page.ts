import { Kinora } from '@kinora/sdk';

/** Runs when a button is pressed: makes a video, shows its progress, and returns a URL for the player. */
export async function makeVideo(prompt: string, show: (text: string) => void, backend = '/videos') {
  const { id, baseUrl } = await ask<{ id: string; baseUrl: string }>(backend, prompt);
  let token = '';
  const kinora = new Kinora({
    baseUrl,
    // Called before each request. When the token has expired, it is called once more with the refused token.
    token: async (refused) => {
      if (token === '' || token === refused) ({ token } = await ask<{ token: string }>(`${backend}/${id}/token`));
      return token;
    },
  });
  for await (const task of kinora.videos.follow(id)) {
    show(`${task.prompt}: ${task.stage} ${task.progress} %`);
    if (task.status === 'completed') return task.video_url;
    if (task.is_final) throw new Error(task.error?.message ?? task.status);
  }
  return null;
}

/** Calls our own backend, which knows the user by a cookie. */
async function ask<Body>(url: string, body?: string): Promise<Body> {
  const response = await fetch(url, { method: 'POST', ...(body === undefined ? {} : { body }) });
  if (!response.ok) throw new Error('That did not work. Please try again later.');
  return (await response.json()) as Body;
}
