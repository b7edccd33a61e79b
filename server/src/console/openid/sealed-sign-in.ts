import type { Clock } from '../../domain/clock.ts';
import type { PendingSignIn } from './openid-provider.ts';

/** What a browser keeps while the person is at the provider. */
interface StartedSignIn extends PendingSignIn {
  /** The path of the console that it returns to. */
  returnTo: string;
  /** The session whose person confirms who they are; null for a sign-in. */
  sessionId: string | null;
}

interface SecretBox {
  seal(secret: string, place: SecretPlace): Buffer;
  open(sealed: Buffer, place: SecretPlace): string | null;
}
interface SecretPlace {
  table: string;
  id: string;
  column: string;
}

/** 10 minutes: time for a second factor, or for setting a new password. */
export const signInSeconds = 600;

/** Nothing else is sealed for this place, so no other sealed text passes for a sign-in. */
const place: SecretPlace = { table: 'cookies', id: '__Host-kinora_openid', column: 'value' };

export interface SignInSeal {
  seal(started: StartedSignIn): string;
  /** Returns null if we did not make the text or it has expired. */
  open(text: string): StartedSignIn | null;
}

/** Turns a started sign-in into the text of a cookie and back, so that the server need not store it. */
export function createSignInSeal({ secretBox, clock }: { secretBox: SecretBox; clock: Clock }): SignInSeal {
  return {
    seal(started) {
      const expiresAt = clock.now().getTime() + signInSeconds * 1000;
      return secretBox.seal(JSON.stringify({ started, expiresAt }), place).toString('base64url');
    },

    open(text) {
      const opened = secretBox.open(Buffer.from(text, 'base64url'), place);
      if (opened === null) return null;
      // Only `seal` makes such a text.
      const { started, expiresAt } = JSON.parse(opened) as { started: StartedSignIn; expiresAt: number };
      return clock.now().getTime() < expiresAt ? started : null;
    },
  };
}
