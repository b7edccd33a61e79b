import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Kinora, type Task } from '@kinora/sdk';

// The key stays here. The page gets a URL that shows the progress and the video of one task, and ends after an hour.
const kinora = new Kinora();

/** POST creates a task; GET /videos/<id> gets a fresh URL for one. */
async function respond(request: IncomingMessage): Promise<Task> {
  // Check here who the user is, how many videos they may request, and that the task of a GET is theirs.
  if (request.method !== 'POST') return kinora.videos.get(request.url?.split('/').at(-1) ?? '');
  const prompt = await text(request);
  return kinora.videos.textToVideo({ prompt, resolution: '480p', aspect_ratio: '1:1', duration: 1 });
}

const server = createServer((request, response) => {
  respond(request).then(
    ({ id, events_url: eventsUrl }) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id, eventsUrl })),
    () => response.writeHead(502).end(),
  );
});
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log(`listening on`, server.address()));
