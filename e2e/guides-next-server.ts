import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { POST } from '../docs/guides/webhooks/next-route.ts';

// What Next.js does with a route handler, as far as one handler needs it: a web Request in, a web Response out.
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await POST(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: await buffer(request),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}

const port = Number(process.env['PORT'] ?? 3000);
createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1', () => {
  console.log(`listening on port ${port}`);
});
