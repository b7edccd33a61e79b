import { expect, it } from 'vitest';
import { conflictsOfOpenid } from './openid-conflicts.ts';

const none = {
  KINORA_OPENID_ISSUER: null,
  KINORA_OPENID_CLIENT_ID: null,
  KINORA_OPENID_CLIENT_SECRET: null,
  KINORA_OPENID_GROUP_ROLES: [],
};
const provider = { ...none, KINORA_OPENID_ISSUER: 'https://login.example.com', KINORA_OPENID_CLIENT_ID: 'kinora' };

it('OpenID Connect may be left out, and needs an issuer and a client id', () => {
  expect(conflictsOfOpenid(none)).toEqual([]);
  expect(conflictsOfOpenid(provider)).toEqual([]);
  expect(conflictsOfOpenid({ ...provider, KINORA_OPENID_CLIENT_ID: null })).toHaveLength(1);
  expect(conflictsOfOpenid({ ...provider, KINORA_OPENID_ISSUER: null })).toHaveLength(1);
});

it('the other settings of OpenID Connect are refused without an issuer', () => {
  const useless = { KINORA_OPENID_CLIENT_SECRET: 'secret', KINORA_OPENID_GROUP_ROLES: [{}] };
  expect(conflictsOfOpenid({ ...none, ...useless })).toHaveLength(2);
  expect(conflictsOfOpenid({ ...provider, ...useless })).toEqual([]);
});

it('an issuer is https or on loopback', () => {
  expect(conflictsOfOpenid({ ...provider, KINORA_OPENID_ISSUER: 'http://login.example.com' })).toHaveLength(1);
  expect(conflictsOfOpenid({ ...provider, KINORA_OPENID_ISSUER: 'http://127.0.0.1:3000' })).toEqual([]);
});
