import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngineHttp, type EngineHttp } from '../engine-http.ts';
import { checkComfyTemplate } from './check-comfyui-template.ts';
import { type ComfyDouble, startComfyDouble } from './comfyui-replay.fixture.ts';
import { insist, readTemplate, readTemplateText } from './comfyui-template.fixture.ts';

type Nodes = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

describe.each(['v0.33.0', 'v0.7.0'] as const)('the check of a template against ComfyUI %s', (version) => {
  let double: ComfyDouble;
  let http: EngineHttp;

  beforeAll(async () => {
    double = await startComfyDouble(version, Buffer.alloc(0));
    http = createEngineHttp({ url: double.url });
  });
  afterAll(async () => {
    await http.close();
    await double.kill();
  });

  test('finds no problem in the weight-free template', async () => {
    expect(await checkComfyTemplate(http, readTemplate('weight-free'))).toEqual([]);
  });

  test.each(['text', 'image'] as const)(
    'names each model file that Wan 2.2 %s to video lacks, and no problem once all files exist',
    async (kind) => {
      const template = readTemplate(`wan-2.2-${kind}-to-video`);
      const files = Object.entries(template.models).flatMap(([folder, names]) => names.map((name) => [folder, name]));
      double.models = {};
      expect(files).toHaveLength(3);
      expect(await checkComfyTemplate(http, template)).toEqual(
        files.map(
          ([folder, file]) =>
            `The template "${template.name}" loads "${file}": put it into ComfyUI's folder models/${folder}.`,
        ),
      );
      double.models = template.models;
      expect(await checkComfyTemplate(http, template)).toEqual([]);
    },
  );

  test.each<[string, (graph: Nodes) => unknown, RegExp]>([
    ['a node', ({ 7: node }) => Object.assign(node ?? {}, { class_type: 'NoSuchNode' }), /uses the node NoSuchNode/],
    ['an input', ({ 8: node }) => Object.assign(node?.inputs ?? {}, { stepps: 1 }), /"8".+"stepps"/],
    ['a sampler', ({ 8: node }) => Object.assign(node?.inputs ?? {}, { sampler_name: 'uni_pd' }), /"uni_pd".+euler/],
    ['a container', ({ 11: node }) => Object.assign(node?.inputs ?? {}, { format: 'avi' }), /"avi".+mp4/],
    ['a codec', ({ 11: node }) => Object.assign(node?.inputs ?? {}, { codec: 'h263' }), /"h263".+h264/],
    ['a kind of text encoder', ({ 2: node }) => Object.assign(node?.inputs ?? {}, { type: 'wann' }), /"wann"/],
  ])('names %s that the server does not have', async (_name, change, expected) => {
    const file = JSON.parse(readTemplateText('wan-2.2-text-to-video')) as { graph: Nodes }; // our own file
    change(file.graph);
    const template = insist(JSON.stringify(file));
    double.models = template.models;
    const problems = await checkComfyTemplate(http, template);
    expect(problems.join('\n')).toMatch(expected);
    for (const problem of problems) expect(problem).toMatch(/^The .+\.$/);
  });

  test('names an input that the server requires and the graph lacks', async () => {
    const file = JSON.parse(readTemplateText('wan-2.2-text-to-video')) as { graph: Nodes }; // our own file
    delete file.graph['8']?.inputs['denoise'];
    const template = insist(JSON.stringify(file));
    double.models = template.models;
    expect((await checkComfyTemplate(http, template)).join('\n')).toMatch(/lacks the input "denoise"/);
  });
});
