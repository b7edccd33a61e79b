import type { Static } from 'typebox';
import type { IssuedToken } from '../../operations/tokens/grant-access-token.ts';
import type { tokenSchema } from '../schemas/token-schema.ts';

export function presentToken(token: IssuedToken, livemode: boolean): Static<typeof tokenSchema> {
  return {
    object: 'token',
    token: token.text,
    expires_at: Math.floor(token.expiresAt.getTime() / 1000),
    scopes: [...token.scopes],
    task_id: token.taskId,
    livemode,
  };
}
