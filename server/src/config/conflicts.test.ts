import { describe, expect, test } from 'vitest';
import { problemsOf, validEnvironment } from './valid-environment.fixture.ts';

/** Returns the problems of a valid production configuration after these settings are changed. */
const problemsWith = (changed: Record<string, string>) => problemsOf({ ...validEnvironment, ...changed });

const plain = [
  ['temporal', 'KINORA_TEMPORAL_ADDRESS', 'temporal.internal:7233'],
  ['temporal', 'KINORA_TEMPORAL_ADDRESS', '[fd00::7]:7233'],
  ['postgres', 'KINORA_DATABASE_URL', 'postgres://kinora:pw@db.internal/kinora'],
  ['postgres', 'KINORA_DATABASE_URL', 'postgres://kinora:pw@db.internal/kinora?sslmode=prefer'],
  ['postgres', 'KINORA_DATABASE_URL', 'postgres://kinora:pw@127.0.0.1/kinora?host=db.internal'],
  ['postgres', 'KINORA_DATABASE_URL', 'postgres://kinora:pw@127.0.0.1.example.com/kinora'],
  ['store', 'KINORA_S3_ENDPOINT', 'http://10.0.0.4:9000'],
  ['store', 'KINORA_S3_PUBLIC_ENDPOINT', 'http://files.example.com'],
] as const;

describe('plain text beyond loopback', () => {
  test.each(plain)('is refused in production for %s (%s=%s), unless the operator allows it', (part, name, value) => {
    const [problem = '', ...others] = problemsWith({ [name]: value });
    expect(others).toEqual([]);
    expect(problem).toContain(`${name} is not loopback`);
    expect(problem).toContain(`or list ${part} in KINORA_ALLOW_PLAIN_TEXT`);
    expect(problem).not.toContain(value);
    expect(problemsWith({ [name]: value, KINORA_ALLOW_PLAIN_TEXT: part })).toEqual([]);
    const allOthers = ['temporal', 'postgres', 'store'].filter((other) => other !== part).join();
    expect(problemsWith({ [name]: value, KINORA_ALLOW_PLAIN_TEXT: allOthers })).toEqual([problem]);
    expect(problemsWith({ [name]: value, KINORA_ENV: 'development' })).toEqual([]);
  });

  test.each([
    { KINORA_TEMPORAL_ADDRESS: 'localhost:7233' },
    { KINORA_TEMPORAL_ADDRESS: '[::1]:7233' },
    { KINORA_TEMPORAL_ADDRESS: 'kinora.a1b2c.tmprl.cloud:7233', KINORA_TEMPORAL_TLS: 'true' },
    { KINORA_TEMPORAL_ADDRESS: 'eu-central-1.aws.api.temporal.io:7233', KINORA_TEMPORAL_API_KEY: 'key' },
    { KINORA_TEMPORAL_ADDRESS: '10.0.0.3:7233', KINORA_TEMPORAL_TLS_SERVER_NAME: 'temporal' },
    { KINORA_DATABASE_URL: 'postgres://kinora:pw@db.internal/kinora?sslmode=verify-full' },
    { KINORA_DATABASE_URL: 'postgres://kinora:pw@db.internal/kinora?sslmode=require' },
    { KINORA_DATABASE_URL: 'postgres://kinora@%2Fvar%2Frun%2Fpostgresql/kinora' },
    { KINORA_DATABASE_URL: 'postgres:///kinora?host=/var/run/postgresql' },
    { KINORA_DATABASE_URL: '/var/run/postgresql kinora' },
    { KINORA_S3_ENDPOINT: 'https://s3.eu-central-1.amazonaws.com' },
  ])('is none of these: %o', (changed) => {
    expect(problemsWith(changed)).toEqual([]);
  });
});

test('a certificate or key that cannot be used is refused at start, and no error repeats its path', () => {
  const wrong = { KINORA_TEMPORAL_TLS_CERT_FILE: import.meta.filename, KINORA_TEMPORAL_TLS_KEY_FILE: '/hunter2' };
  const problems = problemsWith(wrong);
  expect(problems).toEqual([
    expect.stringContaining('KINORA_TEMPORAL_TLS_CERT_FILE must name a file with a certificate in PEM form'),
    expect.stringContaining('KINORA_TEMPORAL_TLS_KEY_FILE names a file that cannot be read (ENOENT)'),
  ]);
  expect(problems.join()).not.toMatch(/hunter2|conflicts.test/);
});

test('the console needs its own origin', () => {
  const withUrl = (KINORA_CONSOLE_URL: string) =>
    problemsWith({ KINORA_CONSOLE_URL, KINORA_PUBLIC_URL: 'https://video.example.com' });
  expect(withUrl('https://console.example.com')).toEqual([]);
  expect(withUrl('https://video.example.com:8443/')).toEqual([]);
  expect(withUrl('https://video.example.com/')).toEqual([expect.stringContaining('another host or port')]);
  expect(withUrl('https://console.example.com/kinora')).toEqual([expect.stringContaining('no path')]);
});

describe('OpenID Connect', () => {
  const provider = { KINORA_OPENID_ISSUER: 'https://login.example.com', KINORA_OPENID_CLIENT_ID: 'kinora' };

  test('may be left out, and needs an issuer and a client id', () => {
    expect(problemsWith(provider)).toEqual([]);
    expect(problemsWith({ KINORA_OPENID_CLIENT_ID: 'kinora' })).toHaveLength(1);
    expect(problemsWith({ KINORA_OPENID_ISSUER: provider.KINORA_OPENID_ISSUER })).toHaveLength(1);
  });

  test('needs an issuer for its other settings', () => {
    const others = { KINORA_OPENID_CLIENT_SECRET: 'secret', KINORA_OPENID_GROUP_ROLES: 'video-admins=operator' };
    expect(problemsWith(others)).toHaveLength(2);
    expect(problemsWith({ ...provider, ...others })).toEqual([]);
  });

  test('takes an issuer that is https or on loopback', () => {
    expect(problemsWith({ ...provider, KINORA_OPENID_ISSUER: 'http://login.example.com' })).toHaveLength(1);
    expect(problemsWith({ ...provider, KINORA_OPENID_ISSUER: 'http://127.0.0.1:3000' })).toEqual([]);
  });
});
