import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../domain/catalogue.ts';
import { animatic } from '../../domain/model.ts';
import { AppError } from '../../errors.ts';
import { MultipartForm } from './parse-multipart-bodies.ts';
import { readOpenAiRequest } from './read-openai-request.ts';

const options = {
  catalogue: builtInCatalogue,
  isStrict: false,
  allowHttpImages: false,
  refusalOfUrl: () => null,
  livemode: true,
  promptWarning: () => null,
};
const read = (body: unknown, isStrict = false) => readOpenAiRequest(body, { ...options, isStrict });

function form(...parts: [name: string, content: string | Uint8Array, filename?: string | undefined][]): MultipartForm {
  return new MultipartForm(
    parts.map(([name, content, filename = null]) => ({ name, filename, bytes: Buffer.from(content) })),
  );
}

function refusal(body: unknown, isStrict = false) {
  try {
    read(body, isStrict);
  } catch (error) {
    if (error instanceof AppError)
      return { code: error.code, details: error.details.map(({ param, code }) => `${param} ${code}`) };
    throw error;
  }
  throw new Error('the body was accepted');
}

describe('an OpenAI-compatible create', () => {
  it('names what a model cannot do by the names that the caller used', () => {
    const catalogue = {
      models: [{ ...animatic, id: 'wan', aliases: ['sora-2'], resolutions: ['480p'] as const, longestSeconds: 2 }],
    };
    const problemsOf = (body: object) => {
      try {
        readOpenAiRequest({ prompt: 'a cat', model: 'sora-2', ...body }, { ...options, catalogue });
      } catch (error) {
        if (error instanceof AppError) return [error.code, ...error.details.map(({ param }) => param)];
      }
      return [];
    };
    expect(problemsOf({ seconds: '4', size: '1280x720' })).toEqual(['unsupported_combination', 'size', 'seconds']);
    expect(problemsOf({ duration: 4, size: '854x480' })).toEqual(['unsupported_combination', 'duration']);
    expect(problemsOf({ seconds: '2', size: '854x480' })).toEqual([]);
  });

  it('is equivalent to a native create', () => {
    const { type, request, warnings, upload } = read({
      prompt: ' a cat ',
      model: 'animatic',
      seconds: '4',
      size: '720x1280',
      seed: 7,
      metadata: { a: 'b' },
      user: null,
    });
    expect({ type, warnings, upload }).toEqual({ type: 'text_to_video', warnings: [], upload: undefined });
    expect(request).toMatchObject({
      prompt: 'a cat',
      model: 'animatic',
      durationSeconds: 4,
      resolution: '720p',
      aspectRatio: '9:16',
      seed: 7,
      imageUrl: null,
      metadata: { a: 'b' },
    });
  });

  it('has the same defaults as a native create', () => {
    expect(read({ prompt: 'a cat' }).request).toMatchObject({
      durationSeconds: 5,
      resolution: '720p',
      aspectRatio: '16:9',
      seed: null,
      model: null,
    });
    expect(read({ prompt: 'a cat', input_reference: 'https://example.com/a.png' }).request.aspectRatio).toBeNull();
  });

  it('also accepts the fields of a native create, but not both names of one field', () => {
    const { type, request } = read({
      prompt: 'a cat',
      duration: 8,
      resolution: '480p',
      aspect_ratio: '1:1',
      image_url: 'https://example.com/a.png',
    });
    expect(type).toBe('image_to_video');
    expect(request).toMatchObject({ durationSeconds: 8, resolution: '480p', aspectRatio: '1:1' });
    expect(refusal({ prompt: 'a cat', size: '1280x720', resolution: '480p', seconds: '1', duration: 2 })).toEqual({
      code: 'invalid_parameter',
      details: ['duration not_allowed', 'resolution not_allowed'],
    });
  });

  it.each([['https://example.com/a.png'], ['data:image/png;base64,AAAA'], ['file_01k9zqv3x4e8rb6t7y2m5n0p1q']])(
    'becomes image to video with %s, in every notation',
    (imageUrl) => {
      const member = imageUrl.startsWith('file_') ? 'file_id' : 'image_url';
      for (const body of [
        { prompt: 'a cat', input_reference: imageUrl },
        { prompt: 'a cat', input_reference: { [member]: imageUrl } },
        form(['prompt', 'a cat'], ['input_reference', imageUrl]),
        form(['prompt', 'a cat'], [`input_reference[${member}]`, imageUrl]),
      ]) {
        expect(read(body)).toMatchObject({ type: 'image_to_video', request: { imageUrl }, warnings: [] });
      }
    },
  );

  it('becomes image to video with a file, which is identified by its digest', () => {
    const bytes = Uint8Array.from([0xff, 0xd8, 0xff]);
    for (const filename of ['a.jpg', undefined]) {
      const { type, request, upload } = read(form(['input_reference', bytes, filename], ['prompt', 'a cat']));
      expect(type).toBe('image_to_video');
      expect(upload).toEqual(Buffer.from(bytes));
      expect(request.imageUrl).toMatch(/^upload:[0-9a-f]{64}$/);
    }
    const other = read(form(['input_reference', 'x', 'a.jpg'], ['prompt', 'a cat']));
    expect(other.request.imageUrl).not.toBe(
      read(form(['input_reference', bytes], ['prompt', 'a cat'])).request.imageUrl,
    );
  });

  it('may be a form, which is read like JSON', () => {
    const { request, warnings } = read(
      form(
        ['prompt', 'a cat'],
        ['seconds', '10'],
        ['seed', '-1'],
        ['negative_prompt', 'dogs'],
        ['metadata[a]', '1'],
        ['metadata[__proto__]', '2'],
      ),
    );
    expect(request).toMatchObject({ durationSeconds: 10, seed: null, negativePrompt: 'dogs' });
    expect(Object.entries(request.metadata)).toEqual([
      ['a', '1'],
      ['__proto__', '2'],
    ]);
    expect(warnings.map(({ param }) => param)).toEqual(['negative_prompt']);
  });

  it('warns of the delivered size if it differs from the requested one', () => {
    const { request, warnings } = read({ prompt: 'a cat', size: '1792x1024' });
    expect(request).toMatchObject({ resolution: '1080p', aspectRatio: '16:9' });
    expect(warnings).toEqual([
      {
        code: 'size_adjusted',
        param: 'size',
        message: 'The size was changed to the nearest available one, 1920x1080.',
      },
    ]);
  });

  it('warns of unknown fields, or refuses them in strict handling', () => {
    expect(read({ prompt: 'a cat', second: '4', fps: 24 }).warnings.map(({ message }) => message)).toEqual([
      'second is not a known parameter; it was ignored. Did you mean seconds?',
      'fps is not a known parameter; it was ignored.',
    ]);
    expect(read(form(['prompt', 'a cat'], ['video', Uint8Array.from([0xff]), 'v.mp4'])).warnings).toMatchObject([
      { code: 'unknown_parameter', param: 'video' },
    ]);
    expect(refusal({ prompt: 'a cat', fps: 24 }, true)).toEqual({
      code: 'unknown_parameter',
      details: ['fps unknown'],
    });
  });

  it('lists every problem at once, with the names that the caller used', () => {
    expect(
      refusal({ prompt: '', seconds: '11', size: 'large', seed: '7', input_reference: 'ftp://example.com/' }),
    ).toEqual({
      code: 'invalid_parameter',
      details: [
        'seconds not_allowed',
        'size not_allowed',
        'input_reference malformed',
        'prompt too_short',
        'seed wrong_type',
      ],
    });
  });

  it.each([0, 11, 2.5, '', '0', '05', ' 5', '1e1', true, [5], '100'])('refuses %j seconds', (seconds) =>
    expect(refusal({ prompt: 'a cat', seconds }).details).toEqual(['seconds not_allowed']),
  );

  it.each([
    7,
    '',
    {},
    [],
    { image_url: 1 },
    { file_id: 'https://example.com/a.png' },
    { image_url: 'https://example.com/a.png', file_id: 'file_1' },
    'upload:abc',
  ])('refuses %j as a reference', (input_reference) =>
    expect(refusal({ prompt: 'a cat', input_reference }).details).toEqual(['input_reference malformed']),
  );

  it('refuses a form with a repeated field or with text that is not UTF-8', () => {
    expect(refusal(form(['prompt', 'a cat'], ['prompt', 'a dog'])).details).toEqual(['prompt too_many']);
    expect(refusal(form(['prompt', Uint8Array.from([0xff])])).details).toEqual(['prompt malformed', 'prompt missing']);
    expect(
      refusal(form(['prompt', 'a cat'], ['input_reference', 'x', 'a'], ['input_reference', 'y', 'b'])).details,
    ).toEqual(['input_reference too_many']);
    expect(
      refusal(form(['prompt', 'a cat'], ['input_reference', 'x', 'a'], ['input_reference[file_id]', 'file_1'])).details,
    ).toEqual(['input_reference too_many']);
    expect(refusal(form(['prompt', 'a cat'], ['metadata[a]', '1'], ['metadata[a]', '2'])).details).toEqual([
      'metadata too_many',
    ]);
    expect(refusal(form(['prompt', 'a cat'], ['metadata[a]', '1'], ['metadata', '2'])).details).toEqual([
      'metadata too_many',
    ]);
  });

  it.each([[null], [[]], ['a cat'], [7]])('refuses %j, which is not an object', (body) =>
    expect(refusal(body).code).toBe('invalid_parameter'),
  );
});
