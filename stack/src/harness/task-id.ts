const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export function taskIdOf(uuid: string): string {
  return publicIdOf('task', uuid);
}

/** Returns the public id of a stored UUID, as the contract defines it: 26 characters of Crockford's base32. */
export function publicIdOf(prefix: string, uuid: string): string {
  let value = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let position = 0; position < 26; position += 1) {
    text = alphabet.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return `${prefix}_${text}`;
}
