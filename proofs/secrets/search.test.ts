import { describe, expect, it } from 'vitest';
import { type Control, type Haystack, type Planted, searchSecrets } from './search.ts';

const key = `kin_live_${'a'.repeat(36)}`;
const control: Control = { place: 'log', value: `kin_test_${'c'.repeat(36)}` };
const log = (text: string): Haystack => ({ place: 'log', name: 'api.log', text: `${control.value} ${text}` });
const planted: Planted[] = [
  { what: 'a prompt', value: 'a "quoted" lighthouse', forbiddenIn: ['log', 'history'] },
  { what: 'a secret key', value: 'correct-horse-battery', forbiddenIn: ['log', 'history', 'database'] },
];

describe('the search for secrets', () => {
  it('accepts the control, and a prompt in the database', () => {
    const dump: Haystack = { place: 'database', name: 'dump', text: 'kin_live_ abcd a "quoted" lighthouse' };
    expect(searchSecrets([log('all is well'), dump], planted, [control])).toEqual([]);
  });

  it.each([
    ['any API key', key],
    ['a webhook secret', `whsec_${'b'.repeat(40)}`],
    ['a webhook signature', `v1,${'A'.repeat(43)}=`],
    ['a signed URL', `https://x/content?signature=${'s'.repeat(43)}`],
    ['a planted value', 'correct-horse-battery'],
    ['a planted value in hex', Buffer.from('correct-horse-battery').toString('hex')],
    ['a planted value in base64', Buffer.from('correct-horse-battery').toString('base64')],
    ['a prompt inside JSON', JSON.stringify({ prompt: 'a "quoted" lighthouse' })],
  ])('finds %s', (_, text) => {
    expect(searchSecrets([log(text)], planted, [control])).toHaveLength(1);
  });

  it('objects if it does not find the control', () => {
    expect(searchSecrets([{ place: 'log', name: 'api.log', text: '' }], planted, [control])).toHaveLength(1);
  });

  it('accepts the control only in the place where it was planted', () => {
    const dump: Haystack = { place: 'database', name: 'dump', text: control.value };
    expect(searchSecrets([log(''), dump], planted, [control])).toHaveLength(1);
  });
});
