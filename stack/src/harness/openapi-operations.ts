/** One operation of the OpenAPI file. */
export interface Operation {
  /** Method and path, such as `GET /v1/videos/{task_id}`. */
  name: string;
  method: string;
  path: string;
  /** The names of the ids in the path. */
  parameters: string[];
  /** The names of the parameters in the query; the service refuses all others. */
  queryParameters: string[];
  needsKey: boolean;
  /** The scope that a key must have; null if the operation needs no key, or if any key will do. */
  scope: string | null;
  /** Whether a signed URL works instead of a key. */
  isSignable: boolean;
}

interface OpenApi {
  paths: Record<
    string,
    Record<string, { security?: Record<string, string[]>[]; parameters?: { in: string; name: string }[] }>
  >;
}

/** Returns every operation of an OpenAPI file. */
export function operationsOf(document: unknown): Operation[] {
  // The service under test wrote this document, and `npm run check` lints it.
  const { paths } = document as OpenApi;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { security = [], parameters = [] }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      queryParameters: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      needsKey: security.some((scheme) => 'apiKey' in scheme),
      scope: security.find((scheme) => 'apiKey' in scheme)?.['apiKey']?.[0] ?? null,
      isSignable: security.some((scheme) => 'signedUrl' in scheme),
    })),
  );
}
