import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { expect, it, onTestFinished } from 'vitest';

const folder = import.meta.dirname;
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const composeFiles = readdirSync(folder).filter((name) => /^compose\.(.+\.)?yaml$/.test(name));
const texts = composeFiles.map((name) => ({ name, text: withoutComments(read(name)) }));
const exampleEnv = read('example.env');
const page = readFileSync(join(folder, '../../docs/operations/compose.md'), 'utf8');

/** What only the compose files know; docs/operations/compose.md explains each. */
const composeVariables = [
  'KINORA_VERSION',
  'KINORA_IMAGE_SERVER',
  'KINORA_IMAGE_ANIMATIC',
  'KINORA_PUBLISH',
  'KINORA_CONSOLE_PUBLISH',
  'KINORA_DOMAIN',
  'KINORA_CONSOLE_DOMAIN',
  'KINORA_PROXY_ADDRESS',
  'KINORA_OUTER_SUBNET',
  'KINORA_OUTER_RANGE',
  'KINORA_FIRST_PROJECT',
  'KINORA_FIRST_KEY',
  'KINORA_DATABASE_PASSWORD',
];

/** Settings that the installation fixes, or that have no meaning in it. */
const fixedSettings = [
  'KINORA_PORT',
  'KINORA_CONSOLE_PORT',
  'KINORA_PRIVATE_PORT',
  'KINORA_TEMPORAL_NAMESPACE',
  'KINORA_TEMPORAL_TLS',
  'KINORA_TEMPORAL_TLS_CA_FILE',
  'KINORA_TEMPORAL_TLS_CERT_FILE',
  'KINORA_TEMPORAL_TLS_KEY_FILE',
  'KINORA_TEMPORAL_TLS_SERVER_NAME',
  'KINORA_TEMPORAL_API_KEY',
  'KINORA_S3_REGION',
  'KINORA_S3_BUCKET',
  'KINORA_S3_FORCE_PATH_STYLE',
  'KINORA_S3_PUBLIC_ENDPOINT',
  'KINORA_SCRATCH_FOLDER',
  'KINORA_FAILPOINTS',
  'KINORA_ANIMATIC_PORT',
];

/** All settings of config.ts: a test keeps .env.example equal to it. */
const settings = namesIn(readFileSync(join(folder, '../../.env.example'), 'utf8'), /^#?(KINORA_\w+)=/gm);

function withoutComments(yaml: string): string {
  return yaml.replaceAll(/^\s*#.*$/gm, '');
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}

it('every KINORA_ variable of the compose files and of example.env is a setting or a documented variable', () => {
  const used = namesIn([...texts.map(({ text }) => text), exampleEnv].join('\n'), /\b(KINORA_[A-Z0-9_]+)\b/g);
  expect(used.length).toBeGreaterThan(40);
  // The prefix of the names of images, in the text of example.env.
  expect(used.filter((name) => !settings.includes(name) && !composeVariables.includes(name))).toEqual([]);
  expect(composeVariables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('every setting can be set in .env, is set by the compose files, or is fixed on purpose', () => {
  const text = texts.map(({ text }) => text).join('\n');
  const set = namesIn(text, /^ +(KINORA_\w+):/gm);
  expect(settings.filter((name) => !set.includes(name) && !fixedSettings.includes(name))).toEqual([]);
  expect(fixedSettings.filter((name) => set.includes(name) || !settings.includes(name))).toEqual([]);
});

it('every image has an exact version', () => {
  const images = texts.flatMap(({ text }) => namesIn(text, /(?:^ +image: |^ +FROM )(\S+)$/gm));
  expect(images.length).toBeGreaterThan(8);
  // A version in the tag, or our own by KINORA_VERSION.
  const isPinned = (image: string) => /:v?\d+\.\d+[.\w-]*$/.test(image) || image.endsWith(':${KINORA_VERSION:-0.1.0}}');
  expect(images.filter((image) => !isPinned(image))).toEqual([]);
});

it('only the API, the console and Caddy have published ports, on loopback by default but for those of Caddy', () => {
  const ports = texts.flatMap(({ name, text }) => namesIn(text, /^ +ports: (.+)$/gm).map((found) => [name, found]));
  expect(ports).toEqual([
    ['compose.tls.yaml', '["80:80", "443:443", "443:443/udp"]'],
    ['compose.yaml', '["${KINORA_PUBLISH:-127.0.0.1:8080}:8080"]'],
    ['compose.yaml', '["${KINORA_CONSOLE_PUBLISH:-127.0.0.1:8081}:8081"]'],
  ]);
  expect(exampleEnv).toMatch(/^KINORA_PUBLISH=127\.0\.0\.1:8080$/m);
  expect(exampleEnv).toMatch(/^KINORA_CONSOLE_PUBLISH=127\.0\.0\.1:8081$/m);
});

it('no file contains the value of a secret, and every secret is required', () => {
  const secrets = namesIn(read('secrets'), /\b((?:KINORA|POSTGRES|TEMPORAL)_\w+)\b/g);
  expect(secrets).toHaveLength(6);
  for (const name of secrets) {
    expect(exampleEnv).toMatch(new RegExp(`^${name}=$`, 'm'));
    const uses = texts.flatMap(({ text }) => [...text.matchAll(new RegExp(`\\$\\{${name}([^}]*)\\}`, 'g'))]);
    expect(uses.length).toBeGreaterThan(0);
    for (const [, rest] of uses) expect(rest).toBe(':?is empty, run ./secrets');
  }
});

it('the workflows of ComfyUI are those of deploy/comfyui', () => {
  const templates = readdirSync(join(folder, 'models')).filter((name) => name.endsWith('.json'));
  expect(templates).toHaveLength(2);
  for (const name of templates)
    expect(read(`models/${name}`)).toBe(readFileSync(join(folder, '../comfyui', name), 'utf8'));
});

it('the secrets are filled in once, are valid, and never change again', () => {
  const copy = testFolder(onTestFinished);
  for (const name of ['secrets', 'example.env']) cpSync(join(folder, name), join(copy, name));
  const run = () => execFileSync(join(copy, 'secrets'), { encoding: 'utf8' });
  expect(run().match(/is new$/gm)).toHaveLength(6);
  const first = readFileSync(join(copy, '.env'), 'utf8');
  expect(statSync(join(copy, '.env')).mode & 0o777).toBe(0o600);
  expect(first.replaceAll(/^((?:\w+_(?:KEYS?|PASSWORD)))=\w+$/gm, '$1=')).toBe(exampleEnv);
  const [, key = '', checksum = ''] =
    /^KINORA_FIRST_KEY=(kin_live_[0-9a-hjkmnp-tv-z]{2}[0-9A-Za-z]{28})([0-9A-Za-z]{6})$/m.exec(first) ?? [];
  expect(base62(checksum)).toBe(crc32(key));
  expect(new Set(namesIn(first, /=([0-9a-f]{64})$/gm)).size).toBe(5);
  expect(run()).toBe('');
  expect(readFileSync(join(copy, '.env'), 'utf8')).toBe(first);
  // An old .env without a new variable gets it, and keeps the rest.
  writeFileSync(join(copy, '.env'), first.replace(/^KINORA_SECRET_KEYS=.*\n/m, ''));
  expect(run()).toBe('secrets: KINORA_SECRET_KEYS is new\n');
  expect(readFileSync(join(copy, '.env'), 'utf8')).toContain(`KINORA_FIRST_KEY=${key}${checksum}\n`);
});

function base62(digits: string): number {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Array.from(digits).reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0);
}
