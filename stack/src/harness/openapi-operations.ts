/** One operation as the OpenAPI file describes it. */
export interface Operation {
  /** `GET /v1/videos/{task_id}`. */
  name: string;
  method: string;
  path: string;
  /** Names of the ids in the path. */
  parameters: string[];
  /** The scope that a key must have; null where no key is needed. */
  scope: string | null;
  /** Whether a signed URL does as well. */
  isSignable: boolean;
}

interface OpenApi {
  paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
}

/** Every operation of an OpenAPI file. */
export function operationsOf(document: unknown): Operation[] {
  // Written by the service under test and linted elsewhere.
  const { paths } = document as OpenApi;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { security = [] }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      scope: security.find((scheme) => 'apiKey' in scheme)?.['apiKey']?.[0] ?? null,
      isSignable: security.some((scheme) => 'signedUrl' in scheme),
    })),
  );
}
