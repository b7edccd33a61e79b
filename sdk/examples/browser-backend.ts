import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Kinora } from '@kinora/sdk';

// The key stays here. The page gets a URL that shows one task for an hour and allows nothing else.
const kinora = new Kinora();

async function create(request: IncomingMessage): Promise<string> {
  // Check here who the user is, and how many videos they may request.
  const prompt = await text(request);
  const task = await kinora.videos.textToVideo({ prompt, resolution: '480p', aspect_ratio: '1:1', duration: 1 });
  return JSON.stringify({ eventsUrl: task.events_url });
}

const server = createServer((request, response) => {
  create(request).then(
    (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    () => response.writeHead(502).end(),
  );
});
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log(`listening on`, server.address()));
