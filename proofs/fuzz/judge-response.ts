import { type Operation, operationsOf } from '@kinora/stack/harness/openapi-operations';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** An answer as it went over the wire; of a stream or a file the body is left out. */
export interface SeenResponse {
  method: string;
  path: string;
  status: number;
  contentType: string | null;
  body: string;
}

interface Described {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema?: object }> }> }>
  >;
}

/** Finds what is wrong with answers, by the service's own description. */
export function createJudge(document: unknown) {
  // Not strict: OpenAPI has keywords of its own.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document as object, 'openapi.json');
  const { paths } = document as Described; // written by the service under test
  const operations = operationsOf(document).map((operation) => ({ ...operation, pattern: patternOf(operation.path) }));
  // What is spelled out goes before what is filled in.
  operations.sort((one, other) => one.parameters.length - other.parameters.length);
  const compiled = new Map<string, ValidateFunction>();

  const problemsOf = (pointer: string, body: string): string | null => {
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `openapi.json#${pointer}` });
      compiled.set(pointer, validate);
    }
    try {
      if (validate(JSON.parse(body))) return null;
    } catch {
      return 'the body is no JSON';
    }
    const [first] = validate.errors ?? [];
    return `${first?.instancePath ?? ''} ${first?.message ?? ''}`;
  };

  return {
    operations: operations as Operation[],

    /** The operation that a request was for; null where there is none. A path that is spelled out is never another's id. */
    operationFor(method: string, path: string): Operation | null {
      const template = operations.find((one) => one.pattern.test(path))?.path;
      return operations.find((one) => one.path === template && one.method === method) ?? null;
    },

    /** Null when the answer is one that the description promises. */
    complaint(answer: SeenResponse): string | null {
      const { method, path, status, contentType, body } = answer;
      if (status >= 500) return `${method} ${path} answered ${status}: ${body.slice(0, 200)}`;
      const operation = this.operationFor(method, path);
      const complain = (what: string): string => `${operation?.name ?? `${method} ${path}`} ${status}: ${what}`;
      if (method === 'HEAD' || method === 'OPTIONS') return null;
      if (!operation) {
        if (status < 400) return complain('nothing is described there, and yet it succeeded');
        const problem = problemsOf('/components/schemas/Error', body);
        return problem === null ? null : complain(`the error breaks the schema: ${problem}`);
      }
      const response = paths[operation.path]?.[method.toLowerCase()]?.responses[String(status)];
      if (!response) return complain(`the status is not described: ${body.slice(0, 200)}`);
      if (status === 204 || status === 304) return body === '' ? null : complain('it has a body');
      const type = (contentType ?? '').split(';')[0]?.trim() ?? '';
      if (!response.content?.[type]) return complain(`the content type ${type || '(none)'} is not described`);
      if (type !== 'application/json') return null;
      const keys = [
        'paths',
        operation.path,
        method.toLowerCase(),
        'responses',
        String(status),
        'content',
        type,
        'schema',
      ];
      const problem = problemsOf(`/${keys.map(escapeKey).join('/')}`, body);
      return problem === null ? null : complain(`the body breaks the schema: ${problem}`);
    },
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** A key inside a JSON pointer inside a URI. */
function escapeKey(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
