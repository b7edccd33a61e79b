import { isLoopbackName } from '@kinora/settings/own-host';

interface OpenidSettings {
  KINORA_OPENID_ISSUER: string | null;
  KINORA_OPENID_CLIENT_ID: string | null;
  KINORA_OPENID_CLIENT_SECRET: string | null;
  KINORA_OPENID_GROUP_ROLES: readonly unknown[];
}

/** Returns a sentence for each setting of OpenID Connect that lacks another one. */
export function conflictsOfOpenid(settings: OpenidSettings): string[] {
  const { KINORA_OPENID_ISSUER: issuer, KINORA_OPENID_CLIENT_ID: clientId } = settings;
  const problems = [];
  if ((issuer === null) !== (clientId === null))
    problems.push('KINORA_OPENID_ISSUER and KINORA_OPENID_CLIENT_ID must be set both or not at all.');
  if (issuer === null && settings.KINORA_OPENID_CLIENT_SECRET !== null)
    problems.push('KINORA_OPENID_CLIENT_SECRET requires KINORA_OPENID_ISSUER.');
  if (issuer === null && settings.KINORA_OPENID_GROUP_ROLES.length > 0)
    problems.push('KINORA_OPENID_GROUP_ROLES requires KINORA_OPENID_ISSUER.');
  if (issuer?.startsWith('http:') && !isLoopbackName(new URL(issuer).hostname))
    problems.push('KINORA_OPENID_ISSUER must be https, except on loopback: people would sign in in clear.');
  return problems;
}
