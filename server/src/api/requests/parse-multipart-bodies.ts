import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseEncodedBody } from './parse-json-bodies.ts';
import { type FormPart, parseMultipart } from './parse-multipart.ts';

/** A body that came as a form. A class, because no JSON can be an instance of one. */
export class MultipartForm {
  readonly parts: readonly FormPart[];

  constructor(parts: readonly FormPart[]) {
    this.parts = parts;
  }
}

/** Takes multipart/form-data on the routes of this instance, and on no others. */
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
