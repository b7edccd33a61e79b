import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../domain/catalogue.ts';
import { animatic, type Model } from '../../domain/model.ts';
import { AppError } from '../../errors.ts';
import { readGenerationRequest } from './read-generation-request.ts';

const refusalOfUrl = (url: string) => (url.startsWith('https://') ? null : ('scheme' as const));
const catalogue = builtInCatalogue;
const text = {
  type: 'text_to_video',
  catalogue,
  isStrict: false,
  allowHttpImages: false,
  refusalOfUrl,
  livemode: true,
  promptWarning: () => null,
} as const;
const image = { ...text, type: 'image_to_video' } as const;
const picture = 'data:image/png;base64,iVBORw0KGgo=';

const read = (body: unknown, options: Parameters<typeof readGenerationRequest>[1] = text) =>
  readGenerationRequest(body, options);

function refusal(body: unknown, options: Parameters<typeof readGenerationRequest>[1] = text): AppError {
  try {
    readGenerationRequest(body, options);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}

/** Returns the error code and the problems, as `param code`, of a body whose prompt is valid. */
function problemOf(fields: Record<string, unknown>, options = text): string {
  const { code, details } = refusal({ prompt: 'a cat', ...fields }, options);
  return [code, ...details.map((detail) => `${detail.param} ${detail.code}`)].join(': ');
}

const withImage = (imageUrl: unknown, allowHttpImages = false) =>
  refusal({ prompt: 'a', image_url: imageUrl }, { ...image, allowHttpImages });

const pairs = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, value]));

describe('a warning about the prompt', () => {
  const warning = { code: 'prompt_not_understood', param: 'prompt', message: 'What is a zorp?' } as const;
  const inputs: unknown[] = [];
  const withWarning = {
    ...text,
    promptWarning: (input: unknown) => {
      inputs.push(input);
      return warning;
    },
  };

  it('comes from the model that will serve the task, named or not, for the trimmed prompt', () => {
    const wan: Model = { ...animatic, id: 'wan', aliases: ['sora-2'], resolutions: ['480p'] };
    const options = { ...withWarning, catalogue: { models: [wan, animatic] }, livemode: false };
    read({ prompt: ' a zorp\n' }, options);
    read({ prompt: 'a zorp', resolution: '480p' }, options);
    read({ prompt: 'a zorp', resolution: '480p', model: 'sora-2' }, options);
    const common = { type: 'text_to_video', prompt: 'a zorp', livemode: false };
    expect(inputs).toEqual([animatic, wan, wan].map((model) => ({ ...common, model })));
  });

  it('is listed before those about unknown fields, and never becomes a refusal', () => {
    const { warnings } = read({ prompt: 'a zorp', ratio: 1 }, withWarning);
    expect(warnings).toEqual([warning, expect.objectContaining({ code: 'unknown_parameter' })]);
    expect(read({ prompt: 'a zorp' }, { ...withWarning, isStrict: true }).warnings).toEqual([warning]);
  });
});

describe('directives without effect', () => {
  it.each([true, false])('cause a warning (live: %s)', (livemode) => {
    const prompt = livemode ? '[[fail:engine_lost]] a lake' : '[[fali:engine_lost]] a lake';
    expect(read({ prompt }, { ...text, livemode }).warnings).toMatchObject([
      { code: 'ignored_directive', param: 'prompt' },
    ]);
  });
});

describe('the body of a create', () => {
  it('without a required field is told of the field that was probably meant', () => {
    const { message, details } = refusal({ prompt: 'a', image: picture, image_fit: 'crop' }, image);
    expect(message).toBe('image_url is required. image is not a known parameter. Did you mean image_url?');
    expect(details).toMatchObject([{ param: 'image_url', code: 'missing', message }]);
    expect(refusal({ promt: 'a' }).message).toBe(
      'prompt is required. promt is not a known parameter. Did you mean prompt?',
    );
    expect(refusal({ colour: 'a' }).message).toBe('prompt is required');
  });

  it('is refused with everything that its model cannot do, together with every other problem', () => {
    const model: Model = {
      ...animatic,
      id: 'wan',
      aliases: ['sora-2'],
      types: ['text_to_video'],
      resolutions: ['720p'],
    };
    const wan = { ...model, aspectRatios: ['16:9'], shortestSeconds: 2, longestSeconds: 5 } satisfies Model;
    const models = { ...text, catalogue: { models: [wan, animatic] } };
    const valid = { prompt: 'a cat', model: 'sora-2' };
    expect(read(valid, models).request.model).toBe('sora-2');
    const { code, details } = refusal(
      { ...valid, prompt: '', resolution: '1080p', aspect_ratio: '1:1', duration: 6, seed: 'x' },
      models,
    );
    expect(code).toBe('invalid_parameter');
    expect(details.map(({ param, code: why, allowed }) => ({ param, why, allowed }))).toEqual([
      { param: 'prompt', why: 'too_short', allowed: undefined },
      { param: 'resolution', why: 'not_allowed', allowed: ['720p'] },
      { param: 'aspect_ratio', why: 'not_allowed', allowed: ['16:9'] },
      { param: 'duration', why: 'not_allowed', allowed: [2, 5] },
      { param: 'seed', why: 'wrong_type', allowed: expect.anything() },
    ]);
    // A value that is invalid in itself is listed once; the aspect ratio of an image is not known yet.
    const once = refusal({ ...valid, duration: 60 }, models);
    expect([once.code, ...once.details.map(({ param }) => param)]).toEqual(['invalid_parameter', 'duration']);
    const ofImage = refusal({ ...valid, image_url: picture }, { ...models, type: 'image_to_video' });
    expect([ofImage.code, ...ofImage.details.map(({ param }) => param)]).toEqual(['unsupported_combination', 'type']);
    expect(
      read({ ...valid, duration: 6 }, { ...text, catalogue: { models: [{ ...wan, isEnabled: false }] } }),
    ).toBeTruthy();
  });

  it('gets the documented defaults', () => {
    expect(read({ prompt: ' a cat\n' })).toEqual({
      request: {
        prompt: 'a cat',
        negativePrompt: null,
        imageUrl: null,
        resolution: '720p',
        aspectRatio: '16:9',
        durationSeconds: 5,
        seed: null,
        model: null,
        imageFit: 'crop',
        metadata: {},
        callbackUrl: null,
        callbackEvents: null,
      },
      warnings: [],
    });
    const { request } = read({ prompt: 'a cat', image_url: picture }, image);
    expect(request).toMatchObject({ aspectRatio: null, imageUrl: picture });
  });

  it('treats null as absent, in every field and in metadata', () => {
    const nothing = Object.fromEntries(
      ['image_url', 'resolution', 'aspect_ratio', 'duration', 'seed', 'model', 'negative_prompt', 'image_fit'].map(
        (name) => [name, null],
      ),
    );
    const { request, warnings } = read({
      prompt: 'a cat',
      ...nothing,
      metadata: { kept: 'yes', dropped: null },
      unheard_of: null,
    });
    expect(request).toEqual({ ...read({ prompt: 'a cat' }).request, metadata: { kept: 'yes' } });
    expect(warnings).toEqual([]);
    expect(refusal({ prompt: null }).code).toBe('missing_parameter');
  });

  it('has strict types: "5" is not 5, and 5.0 is', () => {
    expect(read(JSON.parse('{"prompt":"a","duration":5.0,"seed":1e3}')).request).toMatchObject({
      durationSeconds: 5,
      seed: 1000,
    });
    expect(problemOf({ duration: '5' })).toBe('invalid_parameter: duration wrong_type');
    expect(problemOf({ duration: 5.5 })).toBe('invalid_parameter: duration wrong_type');
    expect(problemOf({ duration: true })).toBe('invalid_parameter: duration wrong_type');
    expect(problemOf({ seed: '1' })).toBe('invalid_parameter: seed wrong_type');
    expect(problemOf({ resolution: 720 })).toBe('invalid_parameter: resolution wrong_type');
    expect(problemOf({ prompt: ['a'] })).toBe('invalid_parameter: prompt wrong_type');
    expect(problemOf({ metadata: [] })).toBe('invalid_parameter: metadata wrong_type');
    expect(problemOf({ metadata: { a: 1 } })).toBe('invalid_parameter: metadata.a wrong_type');
  });

  it('is refused if a number is out of range, and the error names the range', () => {
    expect(problemOf({ duration: 0 })).toBe('invalid_parameter: duration too_small');
    expect(problemOf({ duration: 11 })).toBe('invalid_parameter: duration too_big');
    expect(problemOf({ seed: -2 })).toBe('invalid_parameter: seed too_small');
    expect(problemOf({ seed: 2 ** 53 })).toBe('invalid_parameter: seed too_big');
    const error = refusal({ prompt: 'a', duration: 11 });
    expect(error.message).toBe('duration must be at most 10');
    expect(error.details).toEqual([
      { param: 'duration', code: 'too_big', message: 'duration must be at most 10', allowed: [1, 10] },
    ]);
  });

  it('is refused if a value is not in its list, and the error names the list', () => {
    expect(refusal({ prompt: 'a', resolution: '4k' }).details[0]?.allowed).toEqual(['480p', '720p', '1080p']);
    expect(problemOf({ aspect_ratio: '2:1' })).toBe('invalid_parameter: aspect_ratio not_allowed');
    expect(problemOf({ image_fit: 'cover', image_url: picture }, image as never)).toBe(
      'invalid_parameter: image_fit not_allowed',
    );
  });

  it('has prompts that are counted in code points, after trimming, and never truncated', () => {
    expect(read({ prompt: `  ${'😀'.repeat(2000)}  ` }).request.prompt).toBe('😀'.repeat(2000));
    expect(problemOf({ prompt: '😀'.repeat(2001) })).toBe('prompt_too_long: prompt too_long');
    expect(problemOf({ prompt: ' \n ' })).toBe('invalid_parameter: prompt too_short');
    expect(problemOf({ negative_prompt: 'a'.repeat(2001) })).toBe('invalid_parameter: negative_prompt too_long');
    expect(refusal({}).code).toBe('missing_parameter');
  });

  it('is refused if its text cannot be stored', () => {
    expect(problemOf({ prompt: 'a\0b' })).toBe('invalid_parameter: prompt malformed');
    expect(problemOf({ negative_prompt: '\ud800' })).toBe('invalid_parameter: negative_prompt malformed');
    expect(problemOf({ metadata: { 'a\0': 'b' } })).toBe('invalid_parameter: metadata.a\u{fffd} malformed');
  });

  it('is refused with all problems at once, in the order of the fields', () => {
    const error = refusal(
      {
        metadata: { a: 1 },
        seed: 'x',
        duration: 99,
        resolution: '1p',
        image_url: 'ftp://a/b',
        durration: 5,
        model: 'none',
      },
      { ...image, isStrict: true },
    );
    expect(error.code).toBe('missing_parameter');
    expect(error.message).toBe('prompt is required (and 7 more: see details)');
    expect(error.details.map(({ param }) => param)).toEqual([
      'prompt',
      'image_url',
      'resolution',
      'duration',
      'seed',
      'model',
      'metadata.a',
      'durration',
    ]);
  });

  it('must be an object', () => {
    for (const body of [[], 'text', 5, true, null]) expect(refusal(body).code).toBe('invalid_parameter');
  });

  it('is refused with a public error if its prompt is invalid, whatever else it contains', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.boolean(), (json, isStrict) => {
        const body: unknown = JSON.parse(json);
        const fields = typeof body === 'object' ? body : { metadata: body };
        expect(refusal({ ...fields, prompt: 5 }, { ...image, isStrict })).toBeInstanceOf(AppError);
      }),
    );
  });
});

describe('seed', () => {
  it('is random if absent or -1, and causes a warning if engines get another one', () => {
    expect(read({ prompt: 'a', seed: -1 }).request.seed).toBeNull();
    expect(read({ prompt: 'a', seed: 2 ** 32 - 1 }).warnings).toEqual([]);
    const { request, warnings } = read({ prompt: 'a', seed: 2 ** 32 + 7 });
    expect(request.seed).toBe(2 ** 32 + 7);
    expect(warnings).toEqual([
      { code: 'seed_reduced', param: 'seed', message: expect.stringContaining('this seed becomes 7') },
    ]);
    expect(Object.is(read(JSON.parse('{"prompt":"a","seed":-0}')).request.seed, 0)).toBe(true);
  });
});

describe('image_url', () => {
  it('is required for image to video', () => {
    expect(problemOf({}, image as never)).toBe('missing_parameter: image_url missing');
  });

  it('is an https URL or a data URI of an image', () => {
    for (const url of [
      'https://example.com/a.png',
      'HTTPS://EXAMPLE.com/?a=b',
      picture,
      'data:image/svg+xml;base64,AAAA',
    ]) {
      expect(read({ prompt: 'a', image_url: url }, image).request.imageUrl).toBe(url);
    }
    for (const url of [
      '',
      'a.png',
      '/etc/passwd',
      'file:///etc/passwd',
      'ftp://a/b',
      'data:text/html;base64,AAAA',
      'data:image/png,x',
      'https://',
    ]) {
      expect(withImage(url).code).toBe('invalid_parameter');
    }
    expect(withImage('https://user:secret@example.com/').message).toMatch(/user name/);
    expect(withImage(`https://example.com/${'a'.repeat(9000)}`).details[0]?.code).toBe('too_long');
  });

  it('is refused with a hint at https if it is http, unless the operator allows http', () => {
    expect(withImage('http://example.com/a.png').message).toMatch(/https/);
    expect(
      read({ prompt: 'a', image_url: 'http://a.de/b' }, { ...image, allowHttpImages: true }).request.imageUrl,
    ).toBe('http://a.de/b');
    expect(withImage('ftp://example.com/a.png', true).code).toBe('invalid_parameter');
  });

  it('may be the id of a file, whose existence is checked only when it is used', () => {
    for (const image_url of ['file_01k9zqv3x4e8rb6t7y2m5n0p1q', 'file_nonsense'])
      expect(read({ prompt: 'a', image_url }, image).request.imageUrl).toBe(image_url);
  });

  it('is ignored with a warning by text to video, whatever its value', () => {
    const { request, warnings } = read({ prompt: 'a', image_url: 5, image_fit: 'pad' });
    expect(request).toMatchObject({ imageUrl: null, imageFit: 'crop' });
    expect(warnings.map(({ code, param }) => `${code} ${param}`)).toEqual([
      'ignored_parameter image_url',
      'ignored_parameter image_fit',
    ]);
  });
});

describe('model and negative_prompt', () => {
  it('an unknown model is refused with a list of the known ones', () => {
    expect(refusal({ prompt: 'a', model: 'sora' })).toMatchObject({ code: 'unknown_model', param: 'model' });
    expect(refusal({ prompt: 'a', model: 'sora' }).details[0]?.allowed).toEqual(['animatic']);
    expect(read({ prompt: 'a', model: 'animatic' }).request.model).toBe('animatic');
  });

  it('a negative prompt that the model cannot use causes a warning, and an empty one counts as none', () => {
    const { request, warnings } = read({ prompt: 'a', negative_prompt: ' rain ' });
    expect(request.negativePrompt).toBe('rain');
    expect(warnings).toMatchObject([{ code: 'unsupported_parameter', param: 'negative_prompt' }]);
    expect(read({ prompt: 'a', negative_prompt: ' ' })).toMatchObject({
      request: { negativePrompt: null },
      warnings: [],
    });
  });
});

describe('metadata', () => {
  it('is accepted up to 16 pairs, keys of 64 and values of 512 characters, and 4 kB in total', () => {
    const fits = { ...pairs(15), ['😀'.repeat(64)]: '😀'.repeat(512) };
    expect(read({ prompt: 'a', metadata: fits }).request.metadata).toEqual(fits);
    expect(problemOf({ metadata: pairs(17) })).toBe('invalid_parameter: metadata too_many');
    expect(problemOf({ metadata: { ['k'.repeat(65)]: 'v' } })).toBe(
      `invalid_parameter: metadata.${'k'.repeat(64)}… too_long`,
    );
    expect(problemOf({ metadata: { '': 'v' } })).toBe('invalid_parameter: metadata. too_short');
    expect(problemOf({ metadata: { k: 'v'.repeat(513) } })).toBe('invalid_parameter: metadata.k too_long');
    expect(problemOf({ metadata: { 'line\nbreak': 5 } })).toBe(
      'invalid_parameter: metadata.line\u{fffd}break wrong_type',
    );
    expect(problemOf({ metadata: pairs(16, 'v'.repeat(300)) })).toBe('invalid_parameter: metadata too_long');
  });

  it('may have a key named __proto__ like any other', () => {
    const { metadata } = read(JSON.parse('{"prompt":"a","metadata":{"__proto__":"x","constructor":"y"}}')).request;
    expect(JSON.stringify(metadata)).toBe('{"__proto__":"x","constructor":"y"}');
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
  });
});

describe('unknown fields', () => {
  it('are ignored with a warning that names the nearest known field', () => {
    const { warnings } = read({ prompt: 'a', durration: 5, imageUrl: 'x', webhook: 'https://a.de' });
    expect(warnings).toEqual([
      {
        code: 'unknown_parameter',
        param: 'durration',
        message: 'durration is not a known parameter; it was ignored. Did you mean duration?',
      },
      {
        code: 'unknown_parameter',
        param: 'imageUrl',
        message: 'imageUrl is not a known parameter; it was ignored. Did you mean image_url?',
      },
      {
        code: 'unknown_parameter',
        param: 'webhook',
        message: 'webhook is not a known parameter; it was ignored.',
      },
    ]);
  });

  it('are refused if the caller prefers strict handling; other warnings stay warnings', () => {
    const strict = { ...text, isStrict: true };
    expect(refusal({ prompt: 'a', durration: 5 }, strict)).toMatchObject({
      code: 'unknown_parameter',
      param: 'durration',
      message: 'durration is not a known parameter. Did you mean duration?',
    });
    expect(read({ prompt: 'a', image_url: 'x' }, strict).warnings).toHaveLength(1);
  });

  it('cannot pollute prototypes as __proto__, and are only counted beyond twenty', () => {
    const { warnings } = read(JSON.parse('{"prompt":"a","__proto__":{"polluted":true},"constructor":1}'));
    expect(warnings.map(({ param }) => param)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();

    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`.padEnd(200, 'y'), 1]));
    const counted = read({ prompt: 'a', ...many }).warnings;
    expect(counted).toHaveLength(21);
    expect(counted.at(-1)).toMatchObject({
      param: null,
      message: '980 more parameters are not known; they were ignored.',
    });
    expect(counted[0]?.param).toHaveLength(65);
  });
});

describe('the callbacks of a task', () => {
  it('go to an https URL, for all events or for the named ones without duplicates', () => {
    const url = 'https://hooks.example.com/a?b=c';
    expect(read({ prompt: 'a', callback_url: url }).request).toMatchObject({ callbackUrl: url, callbackEvents: null });
    const callback_events = ['video.failed', 'video.completed', 'video.failed'];
    expect(read({ prompt: 'a', callback_url: url, callback_events }).request.callbackEvents).toEqual([
      'video.failed',
      'video.completed',
    ]);
  });

  it('are refused if the URL can never be called, with the name of the field', () => {
    expect(problemOf({ callback_url: 'http://a.de' })).toBe('invalid_parameter: callback_url not_allowed');
    expect(problemOf({ callback_url: `https://a.de/${'x'.repeat(2048)}` })).toBe(
      'invalid_parameter: callback_url too_long',
    );
    expect(problemOf({ callback_url: 'https://a.de/\0' })).toBe('invalid_parameter: callback_url malformed');
    expect(problemOf({ callback_url: 5 })).toBe('invalid_parameter: callback_url wrong_type');
  });

  it('accept only the four event types', () => {
    const callback_url = 'https://a.de';
    expect(problemOf({ callback_url, callback_events: ['video.progress'] })).toMatch(/callback_events\S* not_allowed/);
    expect(problemOf({ callback_url, callback_events: [] })).toMatch(/callback_events too_short/);
    expect(problemOf({ callback_url, callback_events: 'video.failed' })).toMatch(/callback_events wrong_type/);
  });

  it('are ignored with a warning if there is no URL', () => {
    const { warnings } = read({ prompt: 'a', callback_events: ['video.failed'] });
    expect(warnings).toMatchObject([{ code: 'ignored_parameter', param: 'callback_events' }]);
  });
});
