import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';
import { createPlaces, type PlaceLimit } from '../places.ts';

/** Downloads by signed URL have places of their own: a URL that leaks must not lock its owner out. */
type Access = 'key' | 'signature';

/** The downloads of this process. Each holds a connection to the store for as long as its caller takes. */
export interface Downloads {
  /** Counts a request for a file of a task until its response has ended, before it costs a query. Throws if too many. */
  request(reply: FastifyReply, access: Access, taskId: string): void;
  /** Counts a download until its response has ended, before it uses the store. Throws if there are too many. */
  begin(reply: FastifyReply, access: Access, owner: ProjectMode): void;
}

/** A project may have an eighth of all downloads with its keys and an eighth by signed URLs; a task half of each. */
export function createDownloads(maximum: number): Downloads {
  const places = createPlaces();
  const ofProject = Math.ceil(maximum / 8);
  const ofTask = Math.ceil(maximum / 16);
  const overloaded = (): AppError => new AppError('overloaded', { retryAfterSeconds: 5 });
  const all: PlaceLimit = { name: 'all', maximum, refusal: overloaded };
  return {
    request(reply, access, taskId) {
      const refusal = (): AppError => tooMany('This task', ofTask);
      releaseAfter(reply, places.take([{ name: `${access} ${taskId}`, maximum: ofTask, refusal }]));
    },
    begin(reply, access, { projectId, livemode }) {
      const refusal = (): AppError => tooMany('The project', ofProject);
      const name = `${access} ${projectId} ${livemode}`;
      releaseAfter(reply, places.take([{ name, maximum: ofProject, refusal }, all]));
    },
  };
}

/** Also releases if the caller has left already. */
function releaseAfter(reply: FastifyReply, release: () => void): void {
  finished(reply.raw, release);
}

function tooMany(subject: string, maximum: number): AppError {
  return new AppError('rate_limited', {
    retryAfterSeconds: 5,
    message: `${subject} has ${maximum} downloads in progress, which is as many as it may have. Try again when some have ended.`,
  });
}
