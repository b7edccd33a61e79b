import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { animatic, type Model } from '../domain/model.ts';
import type { EndpointDescription } from '../engines/create-engine.ts';
import { wirePromptWarnings } from './prompt-warnings.ts';

const endpoint = { url: 'http://engine.invalid', token: null, slots: 1 };
const builtIn: EndpointDescription = { ...endpoint, engine: 'animatic', id: 'animatic', pool: 'animatic' };
const cog: EndpointDescription = { ...endpoint, engine: 'cog', id: 'cog-1', pool: 'gpus', inputs: {} };
const further: EndpointDescription = { ...builtIn, id: 'more-1', pool: 'more' };
const wan: Model = { ...animatic, id: 'wan', pool: 'gpus' };
const sketch: Model = { ...animatic, id: 'sketch', pool: 'more' };

const catalogue = { models: [wan, sketch, animatic] };
const installation = { catalogue, endpoints: [builtIn, cog, further], fingerprint: 'a file' };
const warn = wirePromptWarnings({ current: () => installation });
const request = { type: 'text_to_video', prompt: 'a clockwork boat', livemode: true } as const;

it('a prompt that the animatic draws gets a warning, whatever the name and the pool of the model', () => {
  expect(warn({ ...request, model: animatic })).toMatchObject({ code: 'prompt_not_understood', param: 'prompt' });
  expect(warn({ ...request, model: sketch })).toEqual(warn({ ...request, model: animatic }));
  expect(warn({ ...request, model: animatic, prompt: 'a boat at dusk' })).toBeNull();
});

it('a prompt for another engine gets no warning, except in test mode, where the animatic draws for all', () => {
  expect(warn({ ...request, model: wan })).toBeNull();
  expect(warn({ ...request, model: wan, livemode: false })).toEqual(warn({ ...request, model: animatic }));
});

it('the directives of test mode are never taken for words of the prompt', () => {
  const directives = '[[delay:5]] [[fail-once:engine_crashed]] [[ FAIL:x ]] [[stall]][[lose]]';
  expect(warn({ ...request, model: animatic, prompt: `${directives} a boat` })).toBeNull();
  expect(warn({ ...request, model: animatic, prompt: 'a [[zorp]] boat' })?.message).toContain('"zorp"');
});

it('prompt warnings do not load the canvas into an API process', () => {
  const code = `await import(${JSON.stringify(import.meta.resolve('./prompt-warnings.ts'))});
    console.log(process.report.getReport().sharedObjects.filter((path) => /skia|canvas/.test(path)).length);`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).trim()).toBe('0');
});
