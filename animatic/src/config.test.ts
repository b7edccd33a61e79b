import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError } from '@kinora/settings/read-settings';
import { expect, test } from 'vitest';
import { readAnimaticConfig, renderAnimaticExample } from './config.ts';

test('the animatic starts without any settings', () => {
  expect(readAnimaticConfig({})).toMatchObject({ KINORA_ANIMATIC_HOST: '127.0.0.1', KINORA_ANIMATIC_PORT: 8090 });
});

test("the animatic ignores the server's settings and never returns one", () => {
  const server = { KINORA_ANIMATIC_URL: 'x', KINORA_DATABASE_URL: 'x', KINORA_SECRET_KEYS: 'x', KINORA_PORT: 'x' };
  const config = readAnimaticConfig(server);
  expect(Object.keys(config).filter((name) => name in server)).toEqual([]);
});

test('the animatic does not start with a misspelled setting of its own', () => {
  expect(() => readAnimaticConfig({ KINORA_ANIMATIC_SLOST: '2' })).toThrow(SettingsError);
});

test('.env.example describes every setting of the animatic as the code does', async () => {
  const example = await readFile(join(import.meta.dirname, '..', '..', '.env.example'), 'utf8');
  expect(example).toContain(renderAnimaticExample());
});
