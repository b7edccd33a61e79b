import type { FastifyReply } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { EventStream } from './event-stream.ts';
import type { LongLivedRequests } from './long-lived-requests.ts';

interface Options {
  reply: FastifyReply;
  lasting: LongLivedRequests;
  owner: Pick<Caller, 'projectId' | 'livemode'>;
  keyId: string | null;
  /** Called once, however the stream ends. */
  onClose: () => void;
}

/** A stream among the others of this process: kept alive, bounded in number, and ended when the server or its key goes. */
export function openEventStream({ reply, lasting, owner, keyId, onClose }: Options): EventStream {
  const stream = new EventStream({
    cutOff: () => void reply.raw.destroy(),
    onClose: () => {
      release();
      onClose();
    },
  });
  const release = lasting.add({ owner, keyId, end: () => stream.endSoon(), beat: () => stream.beat() });
  return stream;
}
