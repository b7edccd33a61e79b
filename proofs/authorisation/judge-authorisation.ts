/** The kind of caller: which key or token the request has. */
export type CallerKind =
  | 'no key'
  | 'malformed'
  | 'unknown'
  | 'bad checksum'
  | 'revoked'
  | 'expired'
  | 'suspended project'
  | 'wrong scope'
  | 'other project'
  | 'wrong mode'
  | 'forged token'
  | 'expired token'
  | 'token of a revoked key'
  | 'token of a suspended project'
  | 'token of another project'
  | 'token of the wrong scope'
  | 'token of another task'
  | 'token that makes a token'
  | 'valid';

/** The operations that a suspended project may still use, to have its own content erased. */
const openWhileSuspended = ['DELETE /v1/videos/{task_id}', 'DELETE /v1/files/{file_id}'];

/** Returns whether a caller may use an operation, but not on an object of another project. */
export function isStranger(caller: CallerKind, operation: string): boolean {
  if (caller === 'suspended project' || caller === 'token of a suspended project')
    return openWhileSuspended.includes(operation);
  return caller === 'other project' || caller === 'wrong mode' || caller === 'token of another project';
}

/** One request and its response. */
export interface Attempt {
  operation: string;
  caller: CallerKind;
  needsKey: boolean;
  /** Whether the path names an object that belongs to a project. */
  namesSomething: boolean;
  status: number;
  body: string;
  /** The response to an id that does not exist, from the same caller; only if the path names an object. */
  unknownBody?: string | undefined;
}

const refusals: Partial<Record<CallerKind, { status: number; codes: string[] }>> = {
  'no key': { status: 401, codes: ['missing_api_key'] },
  malformed: { status: 401, codes: ['missing_api_key', 'invalid_api_key'] },
  unknown: { status: 401, codes: ['invalid_api_key'] },
  'bad checksum': { status: 401, codes: ['invalid_api_key'] },
  revoked: { status: 401, codes: ['revoked_api_key'] },
  expired: { status: 401, codes: ['expired_api_key'] },
  'suspended project': { status: 403, codes: ['project_suspended'] },
  'wrong scope': { status: 403, codes: ['insufficient_scope'] },
  // Header values that are no token at all count as keys.
  'forged token': { status: 401, codes: ['invalid_api_key'] },
  'expired token': { status: 401, codes: ['expired_api_key'] },
  'token of a revoked key': { status: 401, codes: ['revoked_api_key'] },
  'token of a suspended project': { status: 403, codes: ['project_suspended'] },
  'token of the wrong scope': { status: 403, codes: ['insufficient_scope'] },
  'token of another task': { status: 403, codes: ['insufficient_scope'] },
  'token that makes a token': { status: 403, codes: ['insufficient_scope'] },
};

/** Returns an objection to a response, or null if it is right. `secrets` are ids that only their owner may see. */
export function judge(attempt: Attempt, secrets: readonly string[]): string | null {
  const { operation, caller, needsKey, status, body } = attempt;
  const complain = (what: string): string => `${operation}, ${caller}: ${what}`;
  const isGood = status >= 200 && status < 300;
  if (!needsKey) return isGood ? null : complain(`the route needs no key, but responded with ${status}`);

  const refusal = isStranger(caller, operation) ? undefined : refusals[caller];
  if (refusal) {
    const code = codeOf(body);
    return status === refusal.status && code !== null && refusal.codes.includes(code)
      ? null
      : complain(`expected ${refusal.status} ${refusal.codes.join(' or ')}, got ${status} ${code ?? 'without a code'}`);
  }
  if (caller === 'valid') return isGood ? null : complain(`expected 2xx, got ${status} ${codeOf(body) ?? ''}`);

  // To another project, and to the other mode, the object must look as if it did not exist.
  const leaked = secrets.find((secret) => body.includes(secret));
  if (leaked !== undefined && !attempt.namesSomething)
    return complain(`the response names ${leaked}, which belongs to another project or mode`);
  if (!attempt.namesSomething) return isGood ? null : complain(`expected 2xx, got ${status}`);
  if (status !== 404) return complain(`expected 404, got ${status}`);
  return withoutRequestId(body) === withoutRequestId(attempt.unknownBody ?? '')
    ? null
    : complain('a foreign id and an unknown id get different responses');
}

function codeOf(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string } }; // The error object of the API.
    return error?.code ?? null;
  } catch {
    return null;
  }
}

/** Removes the request id, the only part in which two equal responses may differ. */
export function withoutRequestId(body: string): string {
  return body.replace(/"request_id":"[^"]*"/, '"request_id":""');
}
