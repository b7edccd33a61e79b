import { request as httpRequest } from 'node:http';
import { credentials } from './api-client.ts';
import type { OperationRequest } from './operation-requests.ts';

export interface ApiResponse {
  status: number;
  body: string;
}

/** How long to read an event stream before its body so far is returned. */
const streamMilliseconds = 300;

/** Sends a request with exactly these credentials, valid or not. Of an event stream it reads only the beginning. */
export function send(
  url: string,
  method: string,
  credential: string | null,
  { body, file }: Pick<OperationRequest, 'body' | 'file'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> {
  const payload = file ? formOf(file) : body === undefined ? null : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, {
      method,
      headers: {
        ...headers,
        ...credentials(credential),
        ...(payload === null ? {} : { 'content-type': file ? formType : 'application/json' }),
        'content-length': payload?.length ?? 0,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      const finish = (): void =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', finish);
      if (String(response.headers['content-type']).startsWith('text/event-stream')) {
        setTimeout(() => {
          finish();
          outgoing.destroy();
        }, streamMilliseconds);
      }
    });
    outgoing.end(payload ?? undefined);
  });
}

const boundary = 'kinora-proof-boundary';
const formType = `multipart/form-data; boundary=${boundary}`;

function formOf(file: Buffer): Buffer {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="image.png"\r\ncontent-type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
