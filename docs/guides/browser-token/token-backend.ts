import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Kinora } from '@kinora/sdk';

// The key stays here. The page gets a token that reads one task for ten minutes, and a new one whenever it asks.
const kinora = new Kinora();
const baseUrl = process.env['KINORA_BASE_URL'];

/** Creates a task. Check here who the user is, and how many videos they have made today. */
async function createVideo(request: IncomingMessage): Promise<Response> {
  const { id } = await kinora.videos.textToVideo({ prompt: await text(request), resolution: '480p', duration: 1 });
  return Response.json({ id, baseUrl });
}

/** Makes a token for one task. Check here that the task belongs to the user. */
async function createToken(taskId: string): Promise<Response> {
  const { token } = await kinora.tokens.create({ task_id: taskId, scopes: ['videos:read'] });
  return Response.json({ token });
}

async function respond(request: IncomingMessage): Promise<Response> {
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  if (request.url === '/videos') return createVideo(request);
  const [, taskId] = /^\/videos\/(task_\w+)\/token$/.exec(request.url ?? '') ?? [];
  return taskId ? createToken(taskId) : new Response(null, { status: 404 });
}

const server = createServer((request, response) => {
  respond(request).then(
    async ({ status, headers, body }) =>
      response.writeHead(status, Object.fromEntries(headers)).end(body && (await text(body))),
    () => response.writeHead(502).end(),
  );
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
