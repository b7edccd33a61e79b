import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addRequestOptions, quotedPrompt, type RequestOptions, requestOf } from './request-options.ts';

test('every option is sent, even one that the service ignores with a warning', async () => {
  const request = await requestOf('a boat', { aspectRatio: '1:1', imageFit: 'pad', seed: 0, metadata: { shot: '7' } });
  expect(JSON.parse(JSON.stringify(request))).toEqual({
    prompt: 'a boat',
    aspect_ratio: '1:1',
    image_fit: 'pad',
    seed: 0,
    metadata: { shot: '7' },
  });
});

test('metadata is collected from several options, and a value may contain an equals sign', async () => {
  const command = addRequestOptions(new Command());
  command.parse(['a boat', '--metadata', 'shot=7', '--metadata', 'formula=a=b', '--metadata', 'empty='], {
    from: 'user',
  });
  expect(command.opts<RequestOptions>().metadata).toEqual({ shot: '7', formula: 'a=b', empty: '' });
  const parse = () => addRequestOptions(new Command()).parse(['a boat', '--metadata', 'shot'], { from: 'user' });
  expect(parse).toThrow('--metadata must look like key=value, not "shot".');
});

test('a prompt without quotes is refused with the advice to quote it', () => {
  const command = addRequestOptions(new Command()).parse(['a', 'lake'], { from: 'user' });
  expect(() => quotedPrompt(command)).toThrow('Quote the prompt, because it has spaces: "a lake".');
});
