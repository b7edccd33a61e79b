/** Who asks: the key behind the request, or whose place it takes. */
export type Asker =
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
  | 'valid';

/** One request that was sent, and what came back. */
export interface Attempt {
  operation: string;
  asker: Asker;
  needsKey: boolean;
  /** Whether the path names something that belongs to a project. */
  namesSomething: boolean;
  status: number;
  body: string;
  /** To an id that nobody has, from the same asker; where the path names something. */
  unknownBody?: string | undefined;
}

const refusals: Partial<Record<Asker, { status: number; codes: string[] }>> = {
  'no key': { status: 401, codes: ['missing_api_key'] },
  malformed: { status: 401, codes: ['missing_api_key', 'invalid_api_key'] },
  unknown: { status: 401, codes: ['invalid_api_key'] },
  'bad checksum': { status: 401, codes: ['invalid_api_key'] },
  revoked: { status: 401, codes: ['revoked_api_key'] },
  expired: { status: 401, codes: ['expired_api_key'] },
  'suspended project': { status: 403, codes: ['project_suspended'] },
  'wrong scope': { status: 403, codes: ['insufficient_scope'] },
};

/** What is wrong with an answer; null when it is what it has to be. `secrets` are ids that only their owner may see. */
export function judge(attempt: Attempt, secrets: readonly string[]): string | null {
  const { operation, asker, needsKey, status, body } = attempt;
  const complain = (what: string): string => `${operation}, ${asker}: ${what}`;
  const isGood = status >= 200 && status < 300;
  if (!needsKey) return isGood ? null : complain(`needs no key, but answered ${status}`);

  const refusal = refusals[asker];
  if (refusal) {
    const code = codeOf(body);
    return status === refusal.status && code !== null && refusal.codes.includes(code)
      ? null
      : complain(
          `${refusal.status} ${refusal.codes.join(' or ')} expected, ${status} ${code ?? 'without a code'} came`,
        );
  }
  if (asker === 'valid') return isGood ? null : complain(`2xx expected, ${status} ${codeOf(body) ?? ''} came`);

  // Another project, or the other mode: what is not theirs does not exist.
  const leaked = secrets.find((secret) => body.includes(secret));
  if (leaked !== undefined && !attempt.namesSomething)
    return complain(`the answer names ${leaked}, which is not theirs`);
  if (!attempt.namesSomething) return isGood ? null : complain(`2xx expected, ${status} came`);
  if (status !== 404) return complain(`404 expected, ${status} came`);
  return withoutRequestId(body) === withoutRequestId(attempt.unknownBody ?? '')
    ? null
    : complain('a foreign id and an unknown id are answered differently');
}

function codeOf(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string } }; // the contract's error object
    return error?.code ?? null;
  } catch {
    return null;
  }
}

/** Answers differ in their request id, and in nothing else. */
export function withoutRequestId(body: string): string {
  return body.replace(/"request_id":"[^"]*"/, '"request_id":""');
}
