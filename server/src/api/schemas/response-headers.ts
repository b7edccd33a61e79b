// Documented response headers. describe-headers.ts adds those that depend on access and status; routes name the others.

/** Header of a response that holds a task or a list of tasks. */
export const taskHeaders = {
  'openai-poll-after-ms': {
    type: 'integer',
    description: 'How long to wait before the next read, in milliseconds: the same as `poll_after_ms`.',
  },
};

/** Header of a response that a caller can send back as `If-None-Match`. */
export const etagHeader = {
  etag: {
    type: 'string',
    description: 'A tag of this state. Send it as `If-None-Match` to get 304 instead of a body that you already have.',
  },
};

/** Header of a response that follows `Prefer`. */
export const preferenceHeader = {
  'preference-applied': {
    type: 'string',
    description: 'The preferences of `Prefer` that were followed, such as `wait=60`. Absent if there were none.',
  },
};

const replayHeader = {
  'idempotent-replayed': {
    type: 'string',
    const: 'true',
    description: 'Present if this is the response to an earlier request with the same `Idempotency-Key`.',
  },
};

/** Headers of a response to a create. */
export const createdHeaders = { ...taskHeaders, ...preferenceHeader, ...replayHeader };

/** Header of every response about a file. */
export const acceptRangesHeader = {
  'accept-ranges': { type: 'string', const: 'bytes', description: 'Says that `Range` is supported.' },
};

/** Headers of a file. */
export const fileHeaders = {
  ...etagHeader,
  ...acceptRangesHeader,
  'content-length': { type: 'integer', description: 'The length of the body in bytes.' },
  'content-disposition': { type: 'string', description: 'A file name for those who save the file.' },
};

/** Header of a response to a request with `Range`. */
export const rangeHeader = {
  'content-range': {
    type: 'string',
    description: 'The part that the body holds and the size of the whole file, such as `bytes 0-99/1843200`.',
  },
};

/** Header of a stream of events. */
export const streamHeader = {
  'x-accel-buffering': { type: 'string', const: 'no', description: 'Tells proxies not to hold messages back.' },
};
