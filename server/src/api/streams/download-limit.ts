import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { createConcurrencyLimit, NoPermit } from '../../domain/concurrency-limit.ts';
import { downloadLimits, type RefusingLimit } from '../../domain/limits.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { refusalOfWait } from '../../errors.ts';

/** Downloads by signed URL are counted apart: a URL that leaks must not lock its owner out. */
type Access = 'key' | 'signature';

/** Limits the downloads of this process. Each holds a connection to the store for as long as its caller takes. */
export interface DownloadLimit {
  /** Counts a request for a file of a task until its response has ended, before it costs a query. Throws if too many. */
  request(reply: FastifyReply, access: Access, taskId: string): void;
  /** Counts a download until its response has ended, before it uses the store. Throws if there are too many. */
  begin(reply: FastifyReply, access: Access, owner: ProjectMode): void;
}

export function createDownloadLimit(maximum: number): DownloadLimit {
  const { downloads, downloadsOfTask } = downloadLimits(maximum);
  const all = createConcurrencyLimit(downloads);
  const ofTasks = createConcurrencyLimit(downloadsOfTask);
  return {
    request(reply, access, taskId) {
      releaseAfter(reply, ofTasks.tryAcquire(`${access} ${taskId}`), 'This task', downloadsOfTask);
    },
    begin(reply, access, { projectId, livemode }) {
      releaseAfter(reply, all.tryAcquire(`${access} ${projectId} ${livemode}`), 'The project', downloads);
    },
  };
}

/** Also releases if the caller has left already. */
function releaseAfter(
  reply: FastifyReply,
  permit: (() => void) | NoPermit,
  subject: string,
  { perHolder, retryAfterSeconds }: RefusingLimit,
): void {
  if (permit instanceof NoPermit) {
    const message = `${subject} has reached the limit of ${perHolder} concurrent downloads. Try again when some have ended.`;
    throw refusalOfWait(permit, { retryAfterSeconds, message });
  }
  finished(reply.raw, permit);
}
