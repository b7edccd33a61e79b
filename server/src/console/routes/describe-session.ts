import type { SignedIn } from '../../domain/console-session.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { presentSignedIn } from '../present-session.ts';

export type DescribeSession = (signedIn: SignedIn | null) => Promise<object>;

type Parts = Pick<ConsoleParts, 'signIn' | 'listMemberships' | 'apiUrl' | 'environment' | 'version' | 'storeOrigin'>;

/** Returns the function that tells a page who is signed in and what it needs to know of the installation. */
export function createDescribeSession(parts: Parts): DescribeSession {
  const { signIn, listMemberships, apiUrl, environment, version, storeOrigin } = parts;
  return async (signedIn) => ({
    signed_in: signedIn !== null,
    ...(signedIn && presentSignedIn(signedIn, await listMemberships(signedIn))),
    sign_in: {
      password: true,
      openid: signIn.openIdName === null ? null : { name: signIn.openIdName },
      development: signIn.asDeveloper !== null,
      needs_first_operator: signedIn === null && (await signIn.needsFirstOperator()),
    },
    api_url: apiUrl,
    store_origin: storeOrigin,
    environment,
    version,
  });
}
