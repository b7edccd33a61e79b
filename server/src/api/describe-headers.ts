interface Operation {
  security?: Record<string, readonly string[]>[];
  parameters?: object[];
  responses?: Record<string, { headers?: Record<string, object> }>;
}

interface Described {
  paths?: Record<string, Record<string, Operation>>;
  components?: object;
}

const text = { type: 'string' };
const number = { type: 'integer' };

/** Headers that depend only on the access and the status of a response. Their names are those in the document. */
const responseHeaders = {
  'x-request-id': {
    schema: text,
    description: 'The id of the request: your own `X-Request-Id`, or a new one. Quote it when you ask for support.',
  },
  'cache-control': {
    schema: text,
    description: 'Whether the response may be stored. No response with a key may be stored by a shared cache.',
  },
  'ratelimit-policy': {
    schema: text,
    description:
      'The limits of the key: `q` requests per `w` seconds, such as `"create";q=60;w=60, "read";q=600;w=60`. A ' +
      'response without a valid key has no rate limit headers.',
  },
  ratelimit: {
    schema: text,
    description:
      'Requests left (`r`), and seconds until the quota is full again (`t`), such as `"create";r=7;t=3, ' +
      '"read";r=599;t=1`.',
  },
  'x-ratelimit-limit-requests': {
    schema: number,
    description: 'Requests per minute allowed by the limit that applies.',
  },
  'x-ratelimit-burst-requests': {
    schema: number,
    description: 'Requests that may come at once after a pause. `x-ratelimit-remaining-requests` counts down from it.',
  },
  'x-ratelimit-remaining-requests': { schema: number, description: 'Requests left right now.' },
  'x-ratelimit-reset-requests': {
    schema: text,
    description: 'Time until the quota is full again, such as `6m0s`.',
  },
  'x-should-retry': {
    schema: { type: 'string', enum: ['true', 'false'] },
    description: 'Whether a program may send the same request again without a change: the same as `error.retryable`.',
  },
  'retry-after': {
    schema: { type: 'integer', minimum: 1, maximum: 60 },
    description: 'Seconds to wait before the next try.',
  },
  'www-authenticate': {
    schema: text,
    description: 'How to authenticate, such as `Bearer realm="kinora", error="invalid_token"`.',
  },
};

type HeaderName = keyof typeof responseHeaders;

const rateHeaders: readonly HeaderName[] = [
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit-requests',
  'x-ratelimit-burst-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
];

/** The statuses of errors that say when to try again. */
const waitingStatuses = ['409', '429', '503'];

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  description:
    'An id of your own for this request: 1 to 64 letters, digits, `_` or `-`. The response and the logs of the ' +
    'service show it. Without one, or with another text, the service makes an id.',
};

/** Adds the headers that every operation accepts and returns to an OpenAPI document. */
export function describeHeaders<Document extends object>(document: Document): Document {
  // The plug-in's types mix several versions of OpenAPI.
  const { paths = {}, components } = document as Described;
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/X-Request-Id' }];
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const names = headersOf(status, (operation.security ?? []).length > 0);
      const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
      response.headers = { ...response.headers, ...Object.fromEntries(shared) };
    }
  }
  return {
    ...document,
    components: { ...components, parameters: { 'X-Request-Id': requestId }, headers: responseHeaders },
  };
}

function headersOf(status: string, needsKey: boolean): HeaderName[] {
  const isError = Number(status) >= 400;
  const isRefusedKey = status === '401';
  return [
    'x-request-id',
    'cache-control',
    ...(needsKey && !isRefusedKey ? rateHeaders : []),
    ...(isError ? (['x-should-retry'] as const) : []),
    ...(waitingStatuses.includes(status) ? (['retry-after'] as const) : []),
    ...(needsKey && (isRefusedKey || status === '403') ? (['www-authenticate'] as const) : []),
  ];
}
