import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { bearer } from '@kinora/stack/harness/api-client';
import type { Attack, HostileOrders } from './attack.ts';
import { type FloodRequest, flood } from './flood.ts';
import { holdSockets } from './hold-sockets.ts';
import type { OwnServer } from './own-server.ts';
import type { AttackName } from './siege-evidence.ts';

/** A create that would succeed, apart from its image. */
const fields = { prompt: 'A hostile boat', resolution: '480p', duration: 1 };
/** Words of the seeded prompts, a word that nobody used, and filters that match nothing. */
const queries = [
  '/v1/videos?q=xylophone',
  '/v1/videos?q=cloud17',
  '/v1/videos?q=boat&order=asc',
  '/v1/videos?status=failed',
  '/v1/videos?model=none',
  '/v1/videos?resolution=1080p',
  '/v1/videos?limit=100',
  '/v1/usage',
  '/v1/usage?group_by=key',
];

type Start = (orders: HostileOrders, own: OwnServer) => Attack;

/** How each attack begins. */
export const attacks: Record<AttackName, Start> = {
  downloads: ({ url, sockets, videoUrls }) =>
    holdSockets({ port: portOf(url), sockets, requestOf: (number) => headOf('GET', pathAt(videoUrls, number)) }),

  // Every other stream is one of the project's, with a key; the others are of a task, by a signed URL.
  streams: ({ url, sockets, eventsUrls, keys }) =>
    holdSockets({
      port: portOf(url),
      sockets,
      requestOf: (number) =>
        number % 2 === 0
          ? headOf('GET', '/v1/events', bearer(keys.streams))
          : headOf('GET', pathAt(eventsUrls, number)),
    }),

  // An upload of 20 MB of which 64 kB are sent.
  uploads: ({ url, sockets, keys }) => {
    const form = 'multipart/form-data; boundary=siege';
    const headers = { ...bearer(keys.uploads), 'content-type': form, 'content-length': '20000000' };
    const begun = Buffer.concat([
      Buffer.from(headOf('POST', '/v1/files', headers)),
      Buffer.from('--siege\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
      Buffer.alloc(65_536),
    ]);
    return holdSockets({ port: portOf(url), sockets, requestOf: () => begun });
  },

  // A third each: headers that never end, a body that never ends, and not even a whole request line.
  'half-sent': ({ url, sockets, keys }) => {
    const headers = { ...bearer(keys['half-sent']), 'content-type': 'application/json', 'content-length': '60000' };
    const halves = [
      'GET /v1/limits HTTP/1.1\r\nhost: siege\r\nx-',
      `${headOf('POST', '/v1/videos/text-to-video', headers)}{"prompt":"`,
      'GET /',
    ];
    const requestOf = (number: number): string => halves[number % halves.length] ?? '';
    return holdSockets({ port: portOf(url), sockets, requestOf, drips: true });
  },

  'failing-creates': ({ url, keys, ownPort }, own) =>
    flood({
      url,
      lanes: 200,
      requestOf: (number) => {
        const imageUrl = `http://127.0.0.1:${ownPort}/stalls/${number}`;
        return postJson('/v1/videos/image-to-video', keys['failing-creates'], { ...fields, image_url: imageUrl });
      },
      visits: () => own.images,
    }),

  replays: ({ url, keys }) =>
    flood({
      url,
      lanes: 32,
      requestOf: () =>
        postJson('/v1/videos/text-to-video', keys.replays, fields, { 'idempotency-key': 'siege-replay' }),
    }),

  'bad-keys': ({ url }) =>
    flood({
      url,
      lanes: 32,
      addresses: 250,
      requestOf: (number) => ({ method: 'GET', path: '/v1/limits', headers: bearer(unknownKey(number)) }),
    }),

  'webhook-tests': ({ url, keys, endpointIds }, own) =>
    flood({
      url,
      lanes: 32,
      requestOf: (number) => {
        const path = `/v1/webhook-endpoints/${endpointIds[number % endpointIds.length]}/test`;
        return { method: 'POST', path, headers: bearer(keys['webhook-tests']) };
      },
      visits: () => own.webhooks,
    }),

  queries: ({ url, keys }) =>
    flood({
      url,
      lanes: 32,
      requestOf: (number) => ({
        method: 'GET',
        path: queries[number % queries.length] ?? '',
        headers: bearer(keys.queries),
      }),
    }),

  storage: ({ url, keys, imagePath }) => {
    const body = Buffer.concat([
      Buffer.from('--siege\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
      readFileSync(imagePath),
      Buffer.from('\r\n--siege--\r\n'),
    ]);
    const headers = { ...bearer(keys.storage), 'content-type': 'multipart/form-data; boundary=siege' };
    return flood({ url, lanes: 8, requestOf: () => ({ method: 'POST', path: '/v1/files', headers, body }) });
  },
};

function postJson(path: string, key: string, body: object, headers: Record<string, string> = {}): FloodRequest {
  const all = { ...bearer(key), 'content-type': 'application/json', ...headers };
  return { method: 'POST', path, headers: all, body: JSON.stringify(body) };
}

function headOf(method: string, path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ host: 'siege', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function pathAt(urls: readonly string[], number: number): string {
  const { pathname, search } = new URL(urls[number % urls.length] ?? '');
  return pathname + search;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a key that was never issued and has a correct checksum, so that only a lookup can tell. */
function unknownKey(number: number): string {
  const text = `kin_live_${`${process.pid}x${number}x`.padEnd(30, 'siege')}`;
  let value = crc32(text);
  let checksum = '';
  for (let digit = 0; digit < 6; digit += 1) {
    checksum = alphabet.charAt(value % 62) + checksum;
    value = Math.floor(value / 62);
  }
  return text + checksum;
}
