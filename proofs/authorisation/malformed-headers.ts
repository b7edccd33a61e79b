/** Returns sixty malformed Authorization headers around a valid key. */
export function malformedHeaders(key: string): string[] {
  const secret = key.slice('kin_live_'.length);
  const encoded = Buffer.from(key).toString('base64');
  // Node sends header values as Latin-1, so UTF-8 text is written as one character per byte.
  const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  const headers = [
    // another scheme, or none
    key,
    `Basic ${encoded}`,
    `Basic ${key}`,
    `Token ${key}`,
    `ApiKey ${key}`,
    `Digest ${key}`,
    `Bearer: ${key}`,
    `Bearer=${key}`,
    `Bearer,${key}`,
    `Bearer${key}`,
    `"Bearer ${key}"`,
    `Authorization: Bearer ${key}`,
    `Bearer Bearer ${key}`,
    // no key after the scheme
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer null',
    'Bearer undefined',
    'Bearer true',
    'Bearer *',
    'Bearer kin_live_',
    'Bearer kin_test_',
    // something besides the key
    `Bearer ${key} ${key}`,
    `Bearer ${key},${key}`,
    `Bearer ${key};`,
    `Bearer ${key}=`,
    `Bearer ${key}\\n`,
    `Bearer "${key}"`,
    `Bearer '${key}'`,
    `Bearer <${key}>`,
    `Bearer ${key}?admin=true`,
    `Bearer ${key}/../`,
    `Bearer ${key}%00`,
    `Bearer ${key}' or '1'='1`,
    `Bearer ${key}--`,
    `Bearer {"key":"${key}"}`,
    // the key itself in another form
    `Bearer ${encoded}`,
    `Bearer ${encodeURIComponent(`${key} `)}`,
    `Bearer ${Buffer.from(key).toString('hex')}`,
    `Bearer ${key.toUpperCase()}`,
    `Bearer ${key.toLowerCase()}`,
    `Bearer ${key.replace('kin_', 'kin-')}`,
    `Bearer ${key.replace('kin_', 'KIN_')}`,
    `Bearer ${key.replace('_live_', '_test_')}`,
    `Bearer ${key.replace('_live_', '_LIVE_')}`,
    `Bearer ${key.replace('_live_', '_')}`,
    `Bearer ${key.replace('kin_live_', 'sk_live_')}`,
    `Bearer ${secret}`,
    `Bearer ${[...key].toReversed().join('')}`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key.slice(1)}`,
    `Bearer ${key}0`,
    `Bearer 0${key}`,
    `Bearer ${swapFirstTwo(key)}`,
    `Bearer ${key.slice(0, 20)} ${key.slice(20)}`,
    `Bearer ${key.slice(0, 20)}\t${key.slice(20)}`,
    `Bearer ${utf8(`${key}\u200b`)}`,
    `Bearer ${utf8(key.replace('k', '\u043a'))}`,
    `Bearer ${key.repeat(90)}`,
  ];
  return headers;
}

/** Swaps two different neighbouring characters, the commonest typing error. */
function swapFirstTwo(key: string): string {
  for (let at = 'kin_live_'.length; at + 1 < key.length; at += 1) {
    const [one = '', other = ''] = [key[at], key[at + 1]];
    if (one !== other) return `${key.slice(0, at)}${other}${one}${key.slice(at + 2)}`;
  }
  return key.slice(0, -1);
}
