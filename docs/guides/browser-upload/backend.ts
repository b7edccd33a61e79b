import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InvalidRequestError, Kinora } from '@kinora/sdk';

// The key stays here. The page gets the id and the signed events_url of its own task, and nothing else.
const kinora = new Kinora();
const largestBytes = 20_000_000;
const pages: Record<string, [file: string, type: string]> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/make-video.js': ['make-video.js', 'text/javascript'],
};

/** Creates a task from the form. Check here who the user is, and how many videos they have made today. */
async function createVideo(request: IncomingMessage): Promise<Response> {
  const size = Number(request.headers['content-length']);
  if (!(size <= largestBytes)) return Response.json({ message: 'Pictures may have up to 20 MB.' }, { status: 413 });
  const contentType = request.headers['content-type'] ?? '';
  const form = await new Response(Readable.toWeb(request) as ReadableStream, {
    headers: { 'content-type': contentType },
  }).formData();
  const [prompt, image] = [form.get('prompt'), form.get('image')];
  if (typeof prompt !== 'string' || !(image instanceof Blob)) {
    return Response.json({ message: 'Send a prompt and an image.' }, { status: 400 });
  }
  const task = await kinora.videos.imageToVideo({ prompt, image, resolution: '480p', duration: 1 });
  return Response.json({ id: task.id, events_url: task.events_url });
}

/** Returns a fresh events_url. Check here that the task belongs to the user: anyone who has the URL can see the video. */
async function refreshUrl(taskId: string): Promise<Response> {
  const { id, events_url } = await kinora.videos.get(taskId);
  return Response.json({ id, events_url });
}

async function respond(request: IncomingMessage): Promise<Response> {
  if (request.method === 'POST' && request.url === '/videos') return createVideo(request);
  const [, taskId] = /^\/videos\/(task_\w+)$/.exec(request.url ?? '') ?? [];
  if (taskId) return refreshUrl(taskId);
  const page = pages[request.url ?? ''];
  if (!page) return new Response(null, { status: 404 });
  return new Response(await readFile(new URL(page[0], import.meta.url)), { headers: { 'content-type': page[1] } });
}

/** The user can fix a bad picture, so they see what is wrong with it. Other errors go to our log only. */
function describeFailure(error: unknown): Response {
  if (error instanceof InvalidRequestError) return Response.json({ message: error.message }, { status: 400 });
  console.error(error);
  return Response.json({ message: 'That did not work. Please try again later.' }, { status: 500 });
}

const server = createServer((request, response) => {
  void respond(request)
    .catch(describeFailure)
    .then(async ({ status, headers, body }) => {
      response.writeHead(status, Object.fromEntries(headers));
      await pipeline(body ?? [], response);
    })
    .catch(() => response.destroy());
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`open http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
