import { expect, it } from 'vitest';
import { refusalOfUrl } from './refusal-of-url.ts';

const strict = {
  allowHttp: false,
  allowedPorts: [8443],
  allowedNetworks: ['10.1.0.0/16'],
  deniedNetworks: ['2600:1f00::/24', '10.1.9.0/24'],
  publicHost: null,
};

it.each([
  ['https://example.com/hook?x=1', null],
  ['https://example.com:8443/', null],
  ['https://8.8.8.8/', null],
  ['https://10.1.2.3/', null],
  // Only a lookup can tell.
  ['https://localhost.example/', null],
  ['not a url', 'bad_url'],
  ['http://example.com/', 'scheme'],
  ['ftp://example.com/', 'scheme'],
  ['https://user:word@example.com/', 'credentials'],
  ['https://example.com:22/', 'port'],
  ['https://localhost/x', 'forbidden_address'],
  ['https://LOCALHOST./x', 'forbidden_address'],
  ['https://my.localhost/x', 'forbidden_address'],
  ['https://127.0.0.1/', 'forbidden_address'],
  ['https://2130706433/', 'forbidden_address'],
  ['https://0x7f.1/', 'forbidden_address'],
  ['https://[::ffff:169.254.169.254]/', 'forbidden_address'],
  ['https://10.2.0.1/', 'forbidden_address'],
  // Public, or opened by the operator, but denied.
  ['https://[2600:1f18::7]/', 'forbidden_address'],
  ['https://10.1.9.1/', 'forbidden_address'],
])('the refusal of %s without a lookup is %s', (url, reason) => {
  expect(refusalOfUrl(url, strict)).toBe(reason);
});
