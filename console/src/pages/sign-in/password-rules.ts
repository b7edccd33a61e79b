/** The server's own limits. Length is what makes a password hard to guess, so there are no other rules. */
export const minimumPasswordLength = 12;
export const maximumPasswordLength = 200;

export interface PasswordStrength {
  /** 0 to 4. */
  level: number;
  words: string;
}

/** Returns how good a password is by its length alone. */
export function strengthOf(password: string): PasswordStrength {
  // Characters as people count them, not UTF-16 units.
  const length = Array.from(password).length;
  if (length === 0) return { level: 0, words: `At least ${minimumPasswordLength} characters. A few words are fine.` };
  const missing = minimumPasswordLength - length;
  if (missing > 0) return { level: 1, words: `${missing} more ${missing === 1 ? 'character' : 'characters'}.` };
  if (length < 16) return { level: 2, words: 'Long enough.' };
  if (length < 24) return { level: 3, words: 'Strong.' };
  return { level: 4, words: 'Very strong.' };
}

/** Returns what is wrong with a new password; null if it may be sent. */
export function problemOfNewPassword(password: string): string | null {
  const { level, words } = strengthOf(password);
  return level < 2 ? words : null;
}
