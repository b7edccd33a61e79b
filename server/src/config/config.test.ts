import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, renderServerExample } from './config.ts';
import { problemsOf, validEnvironment } from './valid-environment.fixture.ts';

const required = { ...validEnvironment, KINORA_S3_ENDPOINT: 'http://127.0.0.1:7070/' };

const example = () => readFile(join(import.meta.dirname, '..', '..', '..', '.env.example'), 'utf8');

describe('the configuration', () => {
  it('needs three settings and has a default for every other', () => {
    const config = readConfig(required);
    expect(config).toMatchObject({
      KINORA_ENV: 'production',
      KINORA_PORT: 8080,
      KINORA_SECRET_KEYS: [required.KINORA_SECRET_KEYS],
      KINORA_S3_ENDPOINT: 'http://127.0.0.1:7070', // normalised: without the slash at the end
      KINORA_S3_PUBLIC_ENDPOINT: null,
      KINORA_OUTBOUND_ALLOW_HTTP: false,
      KINORA_FAILPOINTS: [],
    });
    expect(Object.values(config)).not.toContain(undefined);
    for (const name of Object.keys(required)) {
      expect(problemsOf({ ...required, [name]: undefined })).toEqual([expect.stringContaining(`${name} is missing`)]);
    }
  });

  it('may lack the signing key in development only', () => {
    const environment = { ...required, KINORA_SECRET_KEYS: undefined };
    expect(readConfig({ ...environment, KINORA_ENV: 'development' }).KINORA_SECRET_KEYS).toHaveLength(1);
    expect(problemsOf({ ...environment, KINORA_ENV: 'production' })).toHaveLength(1);
    expect(problemsOf(environment)).toHaveLength(1);
  });

  it('reads the networks of trusted proxies and refuses anything that is not a network', () => {
    const read = (networks: string) => readConfig({ ...required, KINORA_TRUSTED_PROXIES: networks });
    expect(read('10.0.0.0/8, fd00::/8').KINORA_TRUSTED_PROXIES).toEqual(['10.0.0.0/8', 'fd00::/8']);
    for (const networks of ['10.0.0.1', 'proxy.internal', '10.0.0.0/33', 'true']) {
      expect(problemsOf({ ...required, KINORA_TRUSTED_PROXIES: networks })).toEqual([
        expect.stringContaining('KINORA_TRUSTED_PROXIES must list networks in CIDR form, such as 10.0.0.0/8'),
      ]);
    }
  });

  it('treats an empty setting as missing', () => {
    expect(readConfig({ ...required, KINORA_PORT: '', KINORA_S3_PUBLIC_ENDPOINT: '' })).toEqual(readConfig(required));
  });

  it('reads the tokens of engines by name, and never repeats a malformed one in an error', () => {
    expect(readConfig({ ...required, KINORA_ENGINE_TOKENS: 'gpu=s3=cret, other=x' }).KINORA_ENGINE_TOKENS).toEqual({
      gpu: 's3=cret',
      other: 'x',
    });
    for (const wrong of ['hunter2', '=hunter2', 'gpu=x,hunter2=']) {
      const problems = problemsOf({ ...required, KINORA_ENGINE_TOKENS: wrong });
      expect(problems).toEqual([expect.stringContaining('KINORA_ENGINE_TOKENS must look like name=secret')]);
      expect(problems.join()).not.toContain('hunter2');
    }
  });

  it('lists every problem at once, with the description of each setting', () => {
    const problems = problemsOf({
      ...required,
      KINORA_PORT: '80.5',
      KINORA_PUBLIC_URL: 'not a url',
      KINORA_ENV: 'staging',
      KINORA_S3_FORCE_PATH_STYLE: 'yes',
      KINORA_SECRET_KEYS: 'short',
      KINORA_FAILPOINTS: 'after-begin, after-lunch',
      KINORA_ATTEMPT_LIMIT_SECONDS: '7201',
    });
    expect(problems).toHaveLength(7);
    expect(problems).toContainEqual('KINORA_PORT must be a whole number from 0 to 65535. Port the API listens on.');
  });

  it('refuses an unknown setting, so that a typing error never becomes a silent default', () => {
    expect(problemsOf({ ...required, KINORA_POTR: '8080' })).toEqual([
      expect.stringContaining('KINORA_POTR is not a setting'),
    ]);
    expect(problemsOf({ ...required, KINORA_STACK_BASE_PORT: '15000', PATH: '/bin' })).toEqual([]);
  });

  it('ignores the settings of the animatic, and only those', async () => {
    const [, animatic = ''] = (await example()).split('--- kinora-animatic');
    const names = [...animatic.matchAll(/^#(KINORA_\w+)=/gm)].map(([, name = '']) => name);
    expect(names).toContain('KINORA_ANIMATIC_SLOTS');
    expect(
      problemsOf({ ...required, ...Object.fromEntries(names.map((name) => [name, 'not even a number'])) }),
    ).toEqual([]);
    expect(problemsOf({ ...required, KINORA_ANIMATIC_SLOST: '2' })).toHaveLength(1);
  });

  it.each([
    ['KINORA_RECORD_RETENTION_DAYS', 7, { KINORA_FILE_RETENTION_DAYS: '7' }],
    ['KINORA_RECORD_RETENTION_DAYS', 12, { KINORA_TASK_WAIT_HOURS: '260' }],
    ['KINORA_USAGE_RETENTION_DAYS', 31, { KINORA_TASK_WAIT_HOURS: '720' }],
    ['KINORA_RECORD_RETENTION_DAYS', 4, {}], // 75 hours of tries by default
    ['KINORA_RECORD_RETENTION_DAYS', 8, { KINORA_WEBHOOK_SCHEDULE_SECONDS: Array(8).fill('86380').join() }],
  ])('refuses a %s below %i with %o, and says what it must be', (name, least, others) => {
    const lowest = { KINORA_FILE_RETENTION_DAYS: '1', KINORA_RECORD_RETENTION_DAYS: '40' };
    const environment = { ...required, ...lowest, ...others };
    expect(problemsOf({ ...environment, [name]: String(least) })).toEqual([]);
    const [problem, ...more] = problemsOf({ ...environment, [name]: String(least - 1) });
    expect(problem).toContain(`${name} must be at least ${least}: `);
    expect(more).toEqual([]);
  });

  it('never repeats the value of a setting in an error', () => {
    const problems = problemsOf({ ...required, KINORA_SECRET_KEYS: 'hunter2' });
    expect(problems.join()).not.toContain('hunter2');
  });

  it('splits lists and drops empty items', () => {
    const config = readConfig({
      ...required,
      KINORA_ENV: 'development', // production refuses failpoints
      KINORA_OUTBOUND_ALLOWED_PORTS: ' 8443, 9443,,',
      KINORA_FAILPOINTS: 'after-begin,after-submit',
    });
    expect(config.KINORA_OUTBOUND_ALLOWED_PORTS).toEqual([8443, 9443]);
    expect(config.KINORA_FAILPOINTS).toEqual(['after-begin', 'after-submit']);
  });
});

describe('.env.example', () => {
  it('lists every setting of the server as the code defines it', async () => {
    expect(await example()).toContain(renderServerExample());
  });

  it('is a valid configuration once it has secrets, with and without the settings that are commented out', async () => {
    const lines = (await example()).split('\n');
    const settings = (chosen: string[]) =>
      Object.fromEntries(chosen.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    const set = lines.filter((line) => line.startsWith('KINORA_'));
    const all = lines.map((line) => line.replace(/^#(?=KINORA_)/, '')).filter((line) => line.startsWith('KINORA_'));
    expect(Object.keys(settings(set)).sort()).toEqual(Object.keys(required).sort());
    const { KINORA_SECRET_KEYS } = required;
    expect(problemsOf(settings(set))).toEqual([expect.stringContaining('KINORA_SECRET_KEYS is missing')]);
    expect(problemsOf({ ...settings(set), KINORA_SECRET_KEYS })).toEqual([]);
    const secrets = { KINORA_SECRET_KEYS, KINORA_S3_SECRET_ACCESS_KEY: 's3cret', KINORA_ENGINE_TOKENS: 'gpu=s3cret' };
    expect(problemsOf({ ...settings(all), ...secrets })).toEqual([]);
  });
});
