import { createHmac, hkdfSync } from 'node:crypto';

/** Returns tokens that nobody issued, made from two that were: changed, cut, mixed, and signed with other keys. */
export function forgedTokens(token: string, other: string): string[] {
  const [payload = '', signature = ''] = token.split('.');
  const [otherPayload = '', otherSignature = ''] = other.split('.');
  const start = payload.slice(0, 'kin_token_00'.length);
  const [keyId, ...rest] = JSON.parse(Buffer.from(payload.slice(start.length), 'base64url').toString()) as unknown[];
  const written = (value: unknown): string => start + Buffer.from(JSON.stringify(value)).toString('base64url');
  const longer = written([keyId, ...rest.slice(0, -1), Number(rest.at(-1)) + 86_400]);
  const signed = (text: string, key: string | Uint8Array): string =>
    `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  return [
    // the signature of another token, or of the same payload with more in it
    `${payload}.${otherSignature}`,
    `${otherPayload}.${signature}`,
    `${longer}.${signature}`,
    `${written([keyId, null, ['videos:read', 'keys:manage'], null, rest.at(-1)])}.${signature}`,
    // the shard of another project
    `kin_token_${start.endsWith('zz') ? '00' : 'zz'}${token.slice(start.length)}`,
    // a key that anybody can guess
    signed(payload, ''),
    signed(payload, 'secret'),
    signed(payload, new Uint8Array(hkdfSync('sha256', 'secret', '', 'kinora routed access tokens', 32))),
    // no signature, a short one, or another notation of the right one
    payload,
    `${payload}.`,
    `${payload}.${signature.slice(0, -1)}`,
    `${payload}.${signature}=`,
    `${payload}.${signature}A`,
    `${payload}..${signature}`,
    `${payload}.${Buffer.from(signature, 'base64url').toString('hex')}`,
    // something else before or after
    `${token}.${signature}`,
    `x${token}`,
    token.replace(start, 'kin_live_'),
    token.slice(start.length),
    token.toUpperCase(),
    start,
    `${start}.`,
    `${start}${'A'.repeat(4_000)}.${signature}`,
  ];
}
