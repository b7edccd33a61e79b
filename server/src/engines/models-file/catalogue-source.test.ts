import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { SettingsError } from '@kinora/settings/read-settings';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { builtInCatalogue, findModel, modelOfTask } from '../../domain/catalogue.ts';
import { createLog } from '../../telemetry/log.ts';
import { createEndpointMaker } from '../create-engine.ts';
import type { Engine } from '../engine.ts';
import { createCatalogueSource } from './catalogue-source.ts';

let folder = '';
let lines: { event: string; level: number; problems?: string[]; models?: object; endpoints?: object }[] = [];
const log = createLog({ level: 'info', roles: [], write: (line) => void lines.push(JSON.parse(line)) });
const path = () => join(folder, 'models.yaml');
const write = (text: string) => writeFileSync(path(), text);
const open = async () => {
  const source = createCatalogueSource({ path: path(), tokens: { gpu: 's3cret' }, animaticUrl: 'http://a', log });
  await source.open();
  return source;
};
/** Checks twice, because a change counts once two checks in a row have found it the same. */
const check = (source: { check(): void }) => {
  source.check();
  source.check();
};

const wan = (fps = 24) => `
  - id: wan
    pool: gpus
    types: [text_to_video]
    resolutions: [720p]
    fps: ${fps}`;
const pool = (url = 'http://gpu-1.invalid') => `
pools:
  - id: gpus
    engine: openai-videos
    dialect: sglang
    endpoints: [{ id: gpu-1, url: "${url}", token: gpu }, { id: gpu-2, url: "http://gpu-2.invalid" }]
`;
const withWan = `models:${wan()}\n  - id: animatic${pool()}`;
const withoutWan = 'models:\n  - id: animatic\n';

beforeEach(() => {
  folder = temporaryFolder('models', onTestFinished);
  lines = [];
});

describe('the models file of an installation', () => {
  it('without a models file the built-in engine serves all requests', async () => {
    const source = createCatalogueSource({ path: null, tokens: {}, animaticUrl: 'http://a', log });
    await source.open();
    expect(source.current()).toEqual({
      catalogue: builtInCatalogue,
      endpoints: [{ engine: 'animatic', id: 'animatic', pool: 'animatic', url: 'http://a', token: null, slots: 1 }],
      fingerprint: 'built-in',
    });
  });

  it('a models file that has problems or cannot be read keeps a process from starting', async () => {
    await expect(open()).rejects.toThrow(SettingsError);
    await expect(open()).rejects.toThrow('models.yaml cannot be read: check KINORA_MODELS_FILE');
    write('models:\n  - id: animatic\n    aliass: [x]\nmodel: 5\n');
    await expect(open()).rejects.toThrow(
      'has 2 problems:\n- models.yaml line 3: model animatic: aliass is not a field: did you mean aliases?\n' +
        '- models.yaml line 4: model is not a field: did you mean models?',
    );
  });

  it('a changed models file is reloaded while the process runs, and its changes are logged without a token', async () => {
    write(withoutWan);
    const source = await open();
    let changes = 0;
    const forget = source.onChanged(() => (changes += 1));
    check(source);
    expect(changes).toBe(0);

    write(withWan);
    source.check();
    expect(changes).toBe(0); // it may be half written
    source.check();
    expect(changes).toBe(1);
    expect(source.current().catalogue.models.map(({ id }) => id)).toEqual(['wan', 'animatic']);
    expect(source.current().endpoints).toMatchObject([
      { id: 'animatic' },
      { id: 'gpu-1', token: 's3cret' },
      { id: 'gpu-2' },
    ]);
    expect(lines).toMatchObject([
      {
        event: 'models_file.loaded',
        models: { added: ['wan'], removed: [], changed: [] },
        endpoints: { added: ['gpu-1', 'gpu-2'], removed: [], changed: [] },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('s3cret');

    write(`# a comment changes nothing\n${withWan}`);
    check(source);
    expect(changes).toBe(1);
    forget();
    write(withoutWan);
    check(source);
    expect(changes).toBe(1);
    expect(source.current().catalogue.models.map(({ id }) => id)).toEqual(['animatic']);
  });

  it('a models file that becomes wrong changes nothing, and its problems are logged once', async () => {
    write(withWan);
    const source = await open();
    write('models: []');
    check(source);
    check(source);
    expect(source.current().catalogue.models).toHaveLength(2);
    expect(lines).toMatchObject([{ level: 50, problems: ['line 1: models must not be empty.'] }]);
    rmSync(path());
    check(source);
    check(source);
    expect(lines).toHaveLength(2);
    write(withoutWan);
    check(source);
    expect(source.current().catalogue.models).toHaveLength(1);
  });

  it('a template that changes or appears later is noticed without a change of the models file itself', async () => {
    const template = readFileSync(join(import.meta.dirname, '../../../../deploy/comfyui/weight-free.json'), 'utf8');
    write(withoutWan);
    const source = await open();
    write(
      'models:\n  - id: animatic\npools:\n  - id: comfy\n    engine: comfyui\n    templates: { text_to_video: graph.json }\n' +
        '    endpoints: [{ id: comfy-1, url: "http://gpu-3.invalid" }]\n',
    );
    check(source);
    expect(lines.at(-1)?.problems).toEqual([expect.stringContaining('the file graph.json cannot be read')]);
    writeFileSync(join(folder, 'graph.json'), template);
    check(source);
    expect(source.current().endpoints).toMatchObject([{ id: 'animatic' }, { id: 'comfy-1', engine: 'comfyui' }]);
    check(source);
    const before = source.current();
    writeFileSync(join(folder, 'graph.json'), template.replace(/"name": "/, '"name": "another '));
    check(source);
    expect(source.current()).not.toBe(before);
    expect(lines.at(-1)).toMatchObject({ endpoints: { changed: ['comfy-1'] } });
  });

  it('tasks of a removed model go on, but the model is no longer offered', async () => {
    write(withWan);
    const source = await open();
    write(withoutWan);
    check(source);
    const { catalogue } = source.current();
    expect(findModel(catalogue, 'wan')).toBeNull();
    expect(modelOfTask(catalogue, 'wan')).toMatchObject({ id: 'wan', fps: 24 });
    write(`models:${wan(16)}\n  - id: animatic${pool()}`);
    check(source);
    expect(modelOfTask(source.current().catalogue, 'wan')).toMatchObject({ fps: 16 });
    expect(source.current().catalogue.retired).toEqual([]);
  });

  it('an endpoint with an unchanged description keeps its engine; a changed or returning one gets a new one', async () => {
    write(withWan);
    const source = await open();
    let made = 0;
    const make = createEndpointMaker(() => ({ number: (made += 1) }) as unknown as Engine); // only its identity matters
    const engines = () => Object.fromEntries(make(source.current().endpoints).map(({ id, engine }) => [id, engine]));
    const first = engines();
    write(`models:${wan()}\n  - id: animatic${pool('http://gpu-9.invalid')}`);
    check(source);
    const second = engines();
    expect(second['gpu-2']).toBe(first['gpu-2']);
    expect(second['animatic']).toBe(first['animatic']);
    expect(second['gpu-1']).not.toBe(first['gpu-1']);
    write(withoutWan);
    check(source);
    expect(Object.keys(engines())).toEqual(['animatic']);
    write(withWan);
    check(source);
    expect(engines()['gpu-2']).not.toBe(first['gpu-2']);
  });
});
