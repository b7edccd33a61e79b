import { readFileSync } from 'node:fs';
import { InvalidArgumentError, LoadAPIKeyError, LoadSettingError, NoSuchModelError } from '@ai-sdk/provider';
import { createProviderRegistry, experimental_generateVideo as generateVideo } from 'ai';
import { expect, test, vi } from 'vitest';
import { createKinora } from './kinora-provider.ts';
import { version } from './version.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('a provider has video models and no others, and a registry finds them', () => {
  const kinora = createKinora();
  expect(kinora.video()).toMatchObject({ modelId: 'default', provider: 'kinora.video', maxVideosPerCall: 1 });
  expect(createProviderRegistry({ kinora }).videoModel('kinora:animatic').modelId).toBe('animatic');
  expect(() => kinora.languageModel('gpt')).toThrow(NoSuchModelError);
});

test('a missing key or address throws at the call, not at the import', async () => {
  vi.stubEnv('KINORA_API_KEY', '');
  vi.stubEnv('KINORA_BASE_URL', '');
  const call = (settings: { apiKey?: string }) =>
    generateVideo({ model: createKinora(settings).video(), prompt: 'a boat' });
  await expect(call({})).rejects.toBeInstanceOf(LoadAPIKeyError);
  await expect(call({ apiKey: 'kin_test_x' })).rejects.toBeInstanceOf(LoadSettingError);
  vi.unstubAllEnvs();
});

test('an operation of another provider is rejected', async () => {
  const model = createKinora({ apiKey: 'kin_test_x', baseURL: 'http://127.0.0.1:9' }).video();
  await expect(model.doStatus({ operation: { id: 'x' } })).rejects.toBeInstanceOf(InvalidArgumentError);
});

test('the version is the one in package.json', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ version });
});

test('the README quotes the example file, which the e2e tests run', () => {
  expect(read('README.md')).toContain(read('examples/generate-video.ts'));
});
