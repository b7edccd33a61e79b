import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseEncodedBody } from '../../http/parse-json-bodies.ts';
import { type FormPart, parseMultipart } from './parse-multipart.ts';

/** A body that was sent as a form. It is a class so that no JSON body can be mistaken for it. */
export class MultipartForm {
  readonly parts: readonly FormPart[];

  constructor(parts: readonly FormPart[]) {
    this.parts = parts;
  }
}

/** Accepts multipart/form-data on the routes of this Fastify instance only. */
export function parseMultipartBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      refuseEncodedBody(request);
      return new MultipartForm(parseMultipart(body, request.headers['content-type'] ?? ''));
    },
  );
}
