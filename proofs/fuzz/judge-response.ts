import { type Operation, operationsOf } from '@kinora/stack/harness/openapi-operations';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** A response as the recorder saw it. */
export interface ObservedResponse {
  method: string;
  path: string;
  status: number;
  contentType: string | null;
  body: string;
}

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>;
  components: { responses?: Record<string, DescribedResponse> };
}

/** Responses that many operations share are described once and referred to. */
interface DescribedResponse {
  $ref?: string;
  content?: Record<string, { schema?: object }>;
}

/** Judges responses by the API's own OpenAPI description. */
export function createJudge(document: unknown) {
  // Not strict, because OpenAPI has its own keywords.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document as object, 'openapi.json');
  const { paths, components } = document as Described; // The service under test wrote it.
  const operations = operationsOf(document).map((operation) => ({ ...operation, pattern: patternOf(operation.path) }));
  // Literal paths match before paths with parameters.
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
      return 'the body is not JSON';
    }
    const [first] = validate.errors ?? [];
    return `${first?.instancePath ?? ''} ${first?.message ?? ''}`;
  };

  return {
    operations: operations as Operation[],

    /** Returns the operation of a request, or null. A literal path is never taken for an id. */
    operationFor(method: string, path: string): Operation | null {
      const template = operations.find((one) => one.pattern.test(path))?.path;
      return operations.find((one) => one.path === template && one.method === method) ?? null;
    },

    /** Returns an objection, or null if the description allows the response. A refusal by a busy API is none by itself. */
    complaint(observed: ObservedResponse): string | null {
      const { method, path, status, contentType, body } = observed;
      if (status >= 500 && !isOverload(status, body))
        return `${method} ${path} responded with ${status}: ${body.slice(0, 200)}`;
      const operation = this.operationFor(method, path);
      const complain = (what: string): string => `${operation?.name ?? `${method} ${path}`} ${status}: ${what}`;
      if (method === 'HEAD' || method === 'OPTIONS') return null;
      if (!operation) {
        if (status < 400) return complain('it succeeded although no operation is described there');
        const problem = problemsOf('/components/schemas/Error', body);
        return problem === null ? null : complain(`the error breaks the schema: ${problem}`);
      }
      const described = paths[operation.path]?.[method.toLowerCase()]?.responses[String(status)];
      const shared = described?.$ref?.replace('#/components/responses/', '');
      const response = shared === undefined ? described : components.responses?.[shared];
      if (!response) return complain(`the status is not described: ${body.slice(0, 200)}`);
      if (status === 204 || status === 304) return body === '' ? null : complain('it has a body');
      const type = (contentType ?? '').split(';')[0]?.trim() ?? '';
      if (!response.content?.[type]) return complain(`the content type ${type || '(none)'} is not described`);
      if (type !== 'application/json') return null;
      const place =
        shared === undefined
          ? ['paths', operation.path, method.toLowerCase(), 'responses', String(status)]
          : ['components', 'responses', shared];
      const keys = [...place, 'content', type, 'schema'];
      const problem = problemsOf(`/${keys.map(escapeKey).join('/')}`, body);
      return problem === null ? null : complain(`the body breaks the schema: ${problem}`);
    },
  };
}

/**
 * Whether the API could not do its work in time, which a busy machine causes too: it gives up a connection to Postgres
 * after 3 s. Whoever sent the request sends it again, alone, and objects if it is refused twice.
 */
export function isOverload(status: number, body: string): boolean {
  return status === 503 && /"code":"overloaded"|"status":"not_ready"/.test(body);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** Escapes a key for a JSON pointer in a URI. */
function escapeKey(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
