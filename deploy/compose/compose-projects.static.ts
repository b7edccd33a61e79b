import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadProject } from './runner/compose-project.ts';
import { copyInstallation } from './runner/copy-installation.ts';

const run = promisify(execFile);
const folder = testFolder();
const installation = copyInstallation(folder);

describe('the compose files', () => {
  const gpus = ['vllm-omni', 'sglang', 'comfyui'];
  const combinations = [[], ['tls'], ...gpus.flatMap((gpu) => [[gpu], [gpu, 'tls']])];

  beforeAll(() => run(join(installation, 'secrets')));

  it.each(combinations)('compose.yaml with %j and %j is a valid project', async (...overlays) => {
    const names = overlays.filter((name) => name !== undefined);
    const files = ['', ...names.map((name) => `${name}.`)].map((name) => `compose.${name}yaml`).join(':');
    const project = await loadProject(installation, { COMPOSE_FILE: files, KINORA_DOMAIN: 'video.example.com' });
    const { services } = project;
    const engines = gpus.filter((name) => names.includes(name));
    const [gpu] = engines;
    const servers = ['api', 'console', 'relay', 'worker'].map((name) => services[name]?.environment ?? {});
    for (const environment of servers) {
      expect(environment['KINORA_MODELS_FILE']).toBe(gpu === undefined ? null : `/etc/kinora/${gpu}.yaml`);
      expect(environment['KINORA_PUBLIC_URL']).toMatch(
        names.includes('tls') ? 'https://video.example.com' : 'http://127',
      );
    }
    // The API allows the pages of the console to call it, so both must know its URL.
    for (const name of ['api', 'console'])
      expect(services[name]?.environment?.['KINORA_CONSOLE_URL']).toBe(
        names.includes('tls') ? 'https://console.video.example.com' : 'http://127.0.0.1:8081',
      );
    for (const engine of engines) {
      expect(existsSync(join(installation, 'models', `${engine}.yaml`))).toBe(true);
      expect(Object.keys(services[engine]?.networks ?? {})).toContain('inner');
    }
    const proxy = (services['caddy']?.networks?.['outer'] as { ipv4_address: string } | undefined)?.ipv4_address;
    expect(services['api']?.environment?.['KINORA_TRUSTED_PROXIES']).toBe(proxy === undefined ? null : `${proxy}/32`);
    for (const [name, service] of Object.entries(services)) {
      // Images of GPU servers write to their own folders.
      expect(service.read_only ?? false).toBe(name !== gpu);
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
      const limited = { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } };
      expect(service.logging).toEqual(name === 'files' ? { driver: 'none' } : limited);
      expect(service.restart).toMatch(/^(unless-stopped|on-failure:5|no)$/);
      for (const port of service.ports ?? []) expect(name === 'caddy' || port.host_ip === '127.0.0.1').toBe(true);
    }
    // Nothing that holds data or has no login can reach the internet, or be reached from it.
    for (const name of ['postgres', 'temporal', 'store', 'animatic'])
      expect(Object.keys(services[name]?.networks ?? {})).toEqual(['inner']);
    expect(project.networks['inner']?.internal).toBe(true);
  });
});
