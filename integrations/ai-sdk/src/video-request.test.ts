import { InvalidArgumentError, InvalidPromptError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import type { KinoraVideoOptions } from './video-options.ts';
import { type VideoCallOptions, videoRequestOf } from './video-request.ts';

/** Returns the options of a call, with every key that the AI SDK sets. */
function call(options: Partial<VideoCallOptions> = {}): VideoCallOptions {
  const nothing = {
    aspectRatio: undefined,
    resolution: undefined,
    duration: undefined,
    fps: undefined,
    seed: undefined,
  };
  const noInput = { image: undefined, frameImages: undefined, inputReferences: undefined, generateAudio: undefined };
  return { prompt: 'a boat', n: 1, ...nothing, ...noInput, providerOptions: {}, ...options };
}

const bytes = new Uint8Array([1, 2, 250]);
const file = { type: 'file', mediaType: 'image/png', data: bytes } as const;

describe('a request', () => {
  test('a request contains only the fields that the call sets', () => {
    expect(videoRequestOf('default', call())).toMatchObject({ request: { prompt: 'a boat' }, warnings: [] });
    expect(Object.keys(videoRequestOf('default', call()).request)).toEqual(['prompt']);
    const full = videoRequestOf('animatic', call({ resolution: '480x480', duration: 2, seed: 0 }));
    expect(full.request).toEqual({
      prompt: 'a boat',
      model: 'animatic',
      resolution: '480p',
      aspect_ratio: '1:1',
      duration: 2,
      seed: 0,
    });
  });

  test('a request accepts an image as bytes, base64 or URL, from the prompt or the first frame', () => {
    const imageOf = (options: Partial<VideoCallOptions>) => videoRequestOf('default', call(options)).image;
    expect(imageOf({ image: file })).toEqual(bytes);
    expect(imageOf({ image: { ...file, data: 'AQL6' } })).toEqual(bytes);
    const url = 'https://example.com/boat.png';
    expect(imageOf({ image: { type: 'url', url } })).toBe(url);
    expect(imageOf({ frameImages: [{ image: file, frameType: 'first_frame' }] })).toEqual(bytes);
    expect(imageOf({ frameImages: [{ image: file, frameType: 'last_frame' }] })).toBeUndefined();
  });

  test('a request needs a prompt even with an image', () => {
    expect(() => videoRequestOf('default', call({ prompt: undefined, image: file }))).toThrow(InvalidPromptError);
  });

  test('a request returns a warning for every setting that the service does not support', () => {
    const { warnings } = videoRequestOf(
      'default',
      call({
        n: 2,
        fps: 30,
        generateAudio: true,
        frameImages: [{ image: file, frameType: 'last_frame' }],
        inputReferences: [file],
      }),
    );
    const features = warnings.map((warning) => (warning.type === 'unsupported' ? warning.feature : warning.type));
    expect(features).toEqual(['n', 'fps', 'generateAudio', 'frameImages', 'inputReferences']);
  });

  test('a request sends only final events to the webhook unless the call asks for others', () => {
    const webhookUrl = 'https://example.com/hook';
    expect(videoRequestOf('default', call({ webhookUrl })).request).toMatchObject({
      callback_url: webhookUrl,
      callback_events: ['video.completed', 'video.failed', 'video.cancelled'],
    });
    const kinora = { callback_events: ['video.started'] } satisfies KinoraVideoOptions;
    expect(videoRequestOf('default', call({ webhookUrl, providerOptions: { kinora } })).request).toMatchObject(kinora);
  });
});

describe('the provider options', () => {
  test('provider options are sent in the request, and the settings of the call override them', () => {
    const fields = { negative_prompt: 'fog', image_fit: 'pad', metadata: { for: 'you' }, resolution: '1080p' } as const;
    const kinora = { ...fields, idempotencyKey: 'once', cancelOnAbort: true } satisfies KinoraVideoOptions;
    expect(videoRequestOf('default', call({ providerOptions: { kinora } }))).toMatchObject({
      request: { prompt: 'a boat', ...fields },
      idempotencyKey: 'once',
      cancelOnAbort: true,
    });
    const { request } = videoRequestOf('default', call({ resolution: '480x480', providerOptions: { kinora } }));
    expect(request).toMatchObject({ resolution: '480p' });
    expect(request).not.toHaveProperty('idempotencyKey');
  });

  test('a provider option of the wrong type is rejected, and the error names it', () => {
    const wrong = call({ providerOptions: { kinora: { cancelOnAbort: 'yes' } } });
    expect(() => videoRequestOf('default', wrong)).toThrow(InvalidArgumentError);
    expect(() => videoRequestOf('default', wrong)).toThrow('providerOptions.kinora.cancelOnAbort');
  });

  test('the idempotency key may come from a header, in any letter case', () => {
    expect(videoRequestOf('default', call({ headers: { 'Idempotency-Key': 'k' } })).idempotencyKey).toBe('k');
  });
});
