import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { POST } from '../docs/guides/webhooks/next-route.ts';

// Calls the route handler of a guide as Next.js does: with a web Request, for a web Response.
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const result = await POST(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: await buffer(request),
    }),
  );
  response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text());
}

const port = Number(process.env['PORT'] ?? 3000);
createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1', () => {
  console.log(`listening on port ${port}`);
});
