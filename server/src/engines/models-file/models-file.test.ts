import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gapsOf } from '../../domain/catalogue.ts';
import { aspectRatios } from '../../domain/generation-request.ts';
import { animatic } from '../../domain/model.ts';
import { ModelsFileError, parseModelsFile } from './models-file.ts';
import { renderModelsSchema } from './models-file-schema.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const surroundings = {
  tokens: { gpu: 's3cret' },
  readNamedFile: (name: string) => readFileSync(join(deploy, name), 'utf8'),
};
const parse = (text: string) => parseModelsFile(text, surroundings);

function problemsOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ModelsFileError) return error.problems;
    throw error;
  }
  return [];
}

/** Returns a file with one model that has these fields, and with these pools. */
const file = (model: string, pools = '', first = '') => `models:
${first}  - id: wan
    types: [text_to_video]
    resolutions: [720p]
    fps: 24
    ${model.trim().replaceAll('\n', '\n    ')}
  - id: animatic
${pools}`;
const pool = (fields: string) => `pools:\n  - id: gpus\n    ${fields.trim().replaceAll('\n', '\n    ')}\n`;
const oneEndpoint = 'endpoints: [{ id: gpu-1, url: "http://gpu-1.invalid" }]';

describe('the example in deploy/', () => {
  const text = readFileSync(join(deploy, 'models.yaml'), 'utf8');

  it('has no problems and no gaps', () => {
    const { catalogue, endpoints, namedFiles } = parse(text);
    expect(gapsOf(catalogue)).toEqual([]);
    expect(catalogue.models.map(({ id }) => id)).toEqual([
      'wan-2.2-ti2v-5b',
      'wan-2.2-ti2v-5b-sglang',
      'wan-2.2-ti2v-5b-comfyui',
      'animatic',
    ]);
    expect(endpoints.map(({ id, pool: of, engine }) => `${of}/${id} ${engine}`)).toEqual([
      'wan-cog/cog-1 cog',
      'wan-cog/cog-2 cog',
      'wan-sglang/sglang-1 openai-videos',
      'wan-comfyui/comfyui-1 comfyui',
    ]);
    expect(namedFiles).toEqual(['comfyui/wan-2.2-text-to-video.json', 'comfyui/wan-2.2-image-to-video.json']);
  });

  it('names the schema for editors, and that schema is the one that validates the file', () => {
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./models.schema.json');
    expect(readFileSync(join(deploy, 'models.schema.json'), 'utf8')).toBe(renderModelsSchema());
  });

  it('is refused if KINORA_ENGINE_TOKENS lacks a token that it names', () => {
    expect(() => parseModelsFile(text, { ...surroundings, tokens: {} })).toThrow(ModelsFileError);
  });
});

describe('a models file', () => {
  it('may leave out the optional fields of a model, which then have their defaults', () => {
    const { catalogue } = parse(file('pool: animatic'));
    expect(catalogue.models).toEqual([
      {
        id: 'wan',
        name: 'wan',
        description: '',
        pool: 'animatic',
        aliases: [],
        isEnabled: true,
        types: ['text_to_video'],
        resolutions: ['720p'],
        aspectRatios,
        shortestSeconds: 1,
        longestSeconds: 10,
        fps: 24,
        grid: 16,
        canvases: {},
        frameStep: null,
        usesNegativePrompt: false,
        parameters: {},
        price: null,
      },
      animatic,
    ]);
  });

  it('sets every field of the model, and gives the value of a token to the endpoint', () => {
    const { catalogue, endpoints } = parse(
      file(
        `pool: gpus
name: Wan
description: good
aliases: [sora-2]
enabled: false
aspect_ratios: ["16:9"]
durations: { min: 2, max: 5 }
grid: 32
canvases: { "1280x720": "1280x704" }
frame_step: 4
negative_prompt: true
parameters: { steps: 20, turbo: true, sampler: euler }
price: { currency: USD, per_second: { 720p: "0.02" } }`,
        pool(`engine: cog
inputs: { frame_count: frames, negative_prompt: null }
endpoints: [{ id: gpu-1, url: "https://gpu/base/", token: gpu, slots: 2 }]`),
      ),
    );
    expect(catalogue.models[0]).toEqual({
      ...catalogue.models[0],
      name: 'Wan',
      description: 'good',
      aliases: ['sora-2'],
      isEnabled: false,
      aspectRatios: ['16:9'],
      shortestSeconds: 2,
      longestSeconds: 5,
      grid: 32,
      canvases: { '1280x720': { width: 1280, height: 704 } },
      frameStep: 4,
      usesNegativePrompt: true,
      parameters: { steps: 20, turbo: true, sampler: 'euler' },
      price: { currency: 'USD', perSecond: { '720p': '0.02' } },
    });
    expect(endpoints).toEqual([
      {
        id: 'gpu-1',
        pool: 'gpus',
        engine: 'cog',
        url: 'https://gpu/base',
        token: 's3cret',
        slots: 2,
        inputs: { frame_count: 'frames', negative_prompt: null },
      },
    ]);
  });

  it('names every problem at once, in the order of the file, each with its line', () => {
    expect(
      problemsOf(
        file(
          'pool: gpu\nfpss: 5\nprice: { currency: usd, per_second: { 720p: 0.02 } }',
          `${pool(`engine: cog\n${oneEndpoint}`)}allow_gap: true\n`,
        ),
      ),
    ).toEqual([
      'line 7: model wan: fpss is not a field: did you mean fps?',
      'line 8: model wan: price.currency must be an ISO 4217 currency code, such as USD.',
      'line 8: model wan: price.per_second.720p must be a text (in quotes if it looks like a number).',
      'line 14: allow_gap is not a field: did you mean allow_gaps?',
    ]);
  });

  it.each([
    ['pool: gpu', 'line 6: model wan: pool gpu does not exist: did you mean gpus?'],
    ['pool: other', 'line 6: model wan: pool other does not exist: add it under pools, or use one of animatic, gpus.'],
    ['pool: gpus\naliases: [animatic]', 'line 7: model wan: alias animatic is the id of a model: remove it.'],
    ['pool: gpus\naliases: [a, a]', 'line 7: model wan: alias a is listed twice: one name can only mean one model.'],
    ['pool: gpus\ndurations: { min: 6, max: 5 }', 'line 7: model wan: durations: min 6 is above max 5.'],
    ['pool: gpus\ndurations: { max: 11 }', 'line 7: model wan: durations.max must be at most 10.'],
    ['pool: gpus\ngrid: 15', 'line 7: model wan: grid must be a multiple of 2.'],
    [
      'pool: gpus\ncanvases: { "1280x720": "1280x700" }',
      'line 7: model wan: canvases.1280x720: both sides of 1280x700 must be multiples of the grid, 16.',
    ],
    [
      'pool: gpus\ngrid: 64\ncanvases: { "1280x720": "32x32" }',
      'line 8: model wan: canvases.1280x720: both sides of 32x32 must be multiples of the grid, 64.',
    ],
    [
      'pool: gpus\naspect_ratios: ["1:1"]\ncanvases: { "1280x720": "1280x704" }',
      'line 8: model wan: canvases.1280x720 is not a size that the model delivers: it delivers 720x720.',
    ],
    [
      'pool: gpus\ncanvases: { big: "16x16" }',
      'line 7: model wan: canvases.big must be a delivered size like "1280x720".',
    ],
    ['pool: gpus\nparameters: { a: [1] }', 'line 7: model wan: parameters.a must be a text, a number, true or false.'],
    [
      'pool: gpus\nprice: { currency: USD, per_second: { 480p: "1" } }',
      'line 7: model wan: price.per_second.480p: the model does not serve 480p: remove it, or add it to resolutions.',
    ],
  ])('is refused with a sentence that says what to change in a model: %j', (fields, problem) => {
    expect(problemsOf(file(fields, pool(`engine: cog\n${oneEndpoint}`)))).toEqual([problem]);
  });

  it.each([
    ['engine: vllm', 'line 10: pool gpus: engine must be one of cog, openai-videos, comfyui, animatic.'],
    [
      `engine: cog\nmodel: x\n${oneEndpoint}`,
      'line 11: pool gpus: model is not a field: the fields are id, engine, inputs, endpoints.',
    ],
    [`engine: openai-videos\n${oneEndpoint}`, 'line 9: pool gpus: dialect is missing: add it.'],
    ['engine: cog\nendpoints: []', 'line 11: pool gpus: endpoints must not be empty.'],
    [
      'engine: cog\nendpoints: [{ id: a, url: "http://me:hunter2@gpu-1.invalid" }]',
      'line 11: pool gpus: endpoint a: url must not contain a user name or password: put a token into KINORA_ENGINE_TOKENS ' +
        'and name it under token.',
    ],
    [
      'engine: cog\nendpoints: [{ id: a, url: gpu-1.invalid }]',
      'line 11: pool gpus: endpoint a: url must be an http or https URL.',
    ],
    [
      'engine: cog\nendpoints: [{ id: a, url: "http://a", token: other }]',
      'line 11: pool gpus: endpoint a: KINORA_ENGINE_TOKENS has no token other: add other=… there.',
    ],
    [
      'engine: cog\nendpoints: [{ id: animatic, url: "http://a" }]',
      'line 11: pool gpus: endpoint id animatic is taken: choose another one.',
    ],
    [
      'engine: cog\nendpoints:\n  - { id: a, url: "http://a" }\n  - { id: b, url: "http://a/" }',
      'line 13: pool gpus: another endpoint has this url: list each server once, with its slots.',
    ],
    [
      `engine: comfyui\ntemplates: { text_to_video: none.json }\n${oneEndpoint}`,
      'line 11: pool gpus: templates.text_to_video: the file none.json cannot be read: paths are relative to the models file.',
    ],
  ])('is refused with a sentence that says what to change in a pool: %j', (fields, problem) => {
    const problems = problemsOf(file('pool: gpus', pool(fields)));
    expect(problems).toEqual([problem]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('must fit the templates of its ComfyUI pool, which would silently change sizes and lengths', () => {
    const comfy = (templates: string) => pool(`engine: comfyui\ntemplates: { ${templates} }\n${oneEndpoint}`);
    const wan = comfy('text_to_video: comfyui/wan-2.2-text-to-video.json');
    expect(problemsOf(file('pool: gpus\ngrid: 32\nframe_step: 4\nparameters: { steps: 20 }', wan))).toEqual([]);
    expect(problemsOf(file('pool: gpus\ngrid: 16\nparameters: { guidance: 5 }', wan))).toEqual([
      expect.stringContaining('frame_step: must be a multiple of 4'),
      expect.stringContaining('grid: must be a multiple of 32'),
      expect.stringContaining('has no parameter guidance: it has steps, cfg'),
    ]);
    expect(
      problemsOf(file('pool: gpus\ngrid: 32\nframe_step: 4', comfy('image_to_video: comfyui/weight-free.json'))),
    ).toEqual([expect.stringContaining('its pool gpus has no template for text_to_video')]);
  });

  it('must not repeat an id', () => {
    const twice = '  - { id: wan, pool: animatic, types: [text_to_video], resolutions: [720p], fps: 8 }\n';
    expect(problemsOf(file('pool: animatic', '', twice))).toEqual([
      'line 3: model wan: id wan is taken by another model: choose another one.',
    ]);
    const pools = `pools:\n  - { id: animatic, engine: cog, ${oneEndpoint} }\n`;
    expect(problemsOf(file('pool: animatic', pools))).toEqual([
      'line 9: pool animatic: id animatic is the built-in pool: choose another one.',
    ]);
  });

  it('must not leave a gap unless gaps are allowed', () => {
    const gappy =
      'models:\n  - { id: wan, pool: animatic, types: [text_to_video], resolutions: [720p, 480p, 1080p], fps: 8 }\n';
    expect(problemsOf(gappy)).toEqual([
      'line 1: no model serves 480p 16:9 1 s image_to_video (and 179 more): add a model that does, list `- id: animatic` ' +
        'last, or set allow_gaps: true.',
    ]);
    expect(parse(`${gappy}allow_gaps: true`).catalogue.models).toHaveLength(1);
  });

  it.each([
    ['', 'line 1: models is missing: add it.'],
    ['- 5', 'line 1: must be a mapping.'],
    ['models: 5', 'line 1: models must be a list.'],
    ['models:\n  - 5', 'line 2: model 1: must be a mapping.'],
    [
      'models:\n  - id: animatic\n    fps: 5',
      'line 3: model animatic: fps is not a field: the fields are id, aliases.',
    ],
    ['models: [{ id: animatic }]\nmodels: []', 'line 2: Map keys must be unique.'],
    ['models:\n\t- id: animatic', 'line 2: Tabs are not allowed as indentation.'],
  ])('a models file that is malformed is refused with the line of the problem: %j', (text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });
});
