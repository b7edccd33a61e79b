import type { FastifyReply } from 'fastify';
import { EventStream } from './event-stream.ts';
import type { LongLivedRequest, LongLivedRequests } from './long-lived-requests.ts';

interface Options {
  reply: FastifyReply;
  longLived: LongLivedRequests;
  owner: LongLivedRequest['owner'];
  access: LongLivedRequest['access'];
  /** Called once, however the stream ends. */
  onClose: () => void;
}

/** Opens a stream that counts against the limits and ends when the server closes or refuses its key or signature. */
export function openEventStream({ reply, longLived, owner, access, onClose }: Options): EventStream {
  const stream = new EventStream({
    cutOff: () => void reply.raw.destroy(),
    onClose: () => {
      release();
      onClose();
    },
  });
  const release = longLived.add({ owner, access, end: () => stream.endSoon(), beat: () => stream.beat() });
  return stream;
}
