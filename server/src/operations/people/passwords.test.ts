import { describe, expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

/** From the tests of the reference implementation. */
const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
/** A hash that costs nothing to compare with, and that no password has. */
const cheap = `$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$${'A'.repeat(43)}`;

describe('passwords', () => {
  test('a hash opens with its password and no other, and each has a salt of its own', async () => {
    const passwords = createPasswords();
    const [one, two] = await Promise.all([passwords.hash('naïve café'), passwords.hash('naïve café')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await passwords.verify(one, 'naïve café'.normalize('NFD'))).toBe(true);
    expect(await passwords.verify(one, 'naive cafe')).toBe(false);
  });

  test('hashes of other programs, with other costs, are understood', async () => {
    const passwords = createPasswords();
    expect(await passwords.verify(reference, 'password')).toBe(true);
    expect(await passwords.verify(reference, 'Password')).toBe(false);
    await expect(passwords.verify('$2b$12$bcrypt', 'password')).rejects.toThrow('malformed');
  });

  test('without a hash no password is right', async () => {
    const passwords = createPasswords();
    expect(await passwords.verify(null, 'anything')).toBe(false);
  });

  test('two run at once and sixteen wait; more are refused at once', async () => {
    const passwords = createPasswords();
    const results = await Promise.allSettled(Array.from({ length: 25 }, () => passwords.verify(cheap, 'guess')));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', status: 503, retryAfterSeconds: 2 } });
    expect(await passwords.verify(cheap, 'guess')).toBe(false);
  });
});
