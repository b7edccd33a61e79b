import type { FastifyReply } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { EventStream } from './event-stream.ts';
import type { LongLivedRequests } from './long-lived-requests.ts';

interface Options {
  reply: FastifyReply;
  longLived: LongLivedRequests;
  owner: Pick<Caller, 'projectId' | 'livemode'>;
  keyId: string | null;
  /** Called once, however the stream ends. */
  onClose: () => void;
}

/** Opens a stream that counts against the limits, is kept alive, and ends if the server closes or refuses its key. */
export function openEventStream({ reply, longLived, owner, keyId, onClose }: Options): EventStream {
  const stream = new EventStream({
    cutOff: () => void reply.raw.destroy(),
    onClose: () => {
      release();
      onClose();
    },
  });
  const release = longLived.add({ owner, keyId, end: () => stream.endSoon(), beat: () => stream.beat() });
  return stream;
}
