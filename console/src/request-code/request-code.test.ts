/// <reference types="node" />
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { codeOf, languages } from './request-code.ts';
import { callOf, type VideoRequest } from './video-request.ts';

const baseUrl = 'https://kinora.example.com';
const hard = `-it's "quoted", \\n is not a newline,\nthis is; $HOME \`id\` é 日本 🎬 \u2028 end'`;
const simple: VideoRequest = { prompt: 'a paper boat', resolution: '720p', duration: 5, seed: 7 };
const difficult: VideoRequest = {
  prompt: hard,
  negative_prompt: hard,
  metadata: { shot: "7's", 'a b': hard },
  seed: 7,
};
const withImage: VideoRequest = { prompt: 'closer', image: 'file_01m7fxdjczewstw8dg73t3tmfn', image_fit: 'pad' };
const requests = [simple, difficult, withImage];

/** Runs shell code with a `curl` and a `kinora` that print their arguments, each ended by a zero byte. */
function argumentsOf(code: string): string[] {
  const program = `show() { printf '%s\\0' "$@"; }\ncurl() { show "$@"; }\nkinora() { show "$@"; }\n${code}`;
  const printed = execFileSync('sh', ['-c', program], { encoding: 'utf8', env: { KINORA_API_KEY: 'the-key' } });
  return printed.split('\0').slice(0, -1);
}

/** Runs TypeScript code with a client that returns what it was given. */
async function givenTo(code: string): Promise<unknown> {
  const given = code.slice(code.indexOf('videos.run(') + 'videos.run('.length, code.lastIndexOf(');\nawait'));
  const source = `export const given = ${given};`;
  const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { given: unknown };
  return module.given;
}

describe('the code of a request', () => {
  it('never contains a key', () => {
    const all = requests.flatMap((request) => languages.map((language) => codeOf(language, request, baseUrl)));
    expect(all.filter((code) => /kin_(live|test|token)_/.test(code))).toEqual([]);
  });

  it.each(requests)('for curl sends the body of the request: %o', (request) => {
    const { path, body } = callOf(request);
    const sent = argumentsOf(codeOf('curl', request, baseUrl));
    expect(sent[0]).toBe(baseUrl + path);
    expect(sent).toContain('Authorization: Bearer the-key');
    expect(JSON.parse(sent.at(-1) ?? '')).toEqual(body);
  });

  it.each(requests)('in TypeScript gives the SDK the request itself: %o', async (request) => {
    expect(await givenTo(codeOf('TypeScript', request, baseUrl))).toEqual(request);
  });

  it.each(requests)('in Python holds the body of the request as a literal: %o', (request) => {
    const code = codeOf('Python', request, baseUrl);
    const literal = code.slice(code.indexOf('body = ') + 'body = '.length, code.indexOf('\nrequest = '));
    expect(JSON.parse(literal)).toEqual(callOf(request).body);
    expect(code).toContain(JSON.stringify(baseUrl + callOf(request).path));
  });

  it('for the command line gives every field as an option and the prompt last', () => {
    expect(argumentsOf(codeOf('CLI', difficult, baseUrl))).toEqual([
      'generate',
      `--negative-prompt=${hard}`,
      "--metadata=shot=7's",
      `--metadata=a b=${hard}`,
      '--seed=7',
      '--output',
      'video.mp4',
      '--',
      hard,
    ]);
    expect(codeOf('CLI', withImage, baseUrl)).toContain('--image=file_01m7fxdjczewstw8dg73t3tmfn');
  });

  it('is readable for an ordinary request', () => {
    expect(codeOf('curl', simple, baseUrl)).toMatchInlineSnapshot(`
      "curl https://kinora.example.com/v1/videos/text-to-video \\
        -H "Authorization: Bearer $KINORA_API_KEY" \\
        -H 'Content-Type: application/json' \\
        -d '{
        "prompt": "a paper boat",
        "resolution": "720p",
        "duration": 5,
        "seed": 7
      }'"
    `);
    expect(codeOf('TypeScript', simple, baseUrl)).toMatchInlineSnapshot(`
      "import { Kinora } from '@kinora/sdk';

      const kinora = new Kinora({ baseUrl: 'https://kinora.example.com', apiKey: process.env.KINORA_API_KEY });
      const task = await kinora.videos.run({
        prompt: 'a paper boat',
        resolution: '720p',
        duration: 5,
        seed: 7,
      });
      await kinora.videos.save(task, 'video.mp4');"
    `);
    expect(codeOf('CLI', simple, baseUrl)).toMatchInlineSnapshot(`
      "export KINORA_BASE_URL=https://kinora.example.com
      kinora generate \\
        --resolution=720p \\
        --duration=5 \\
        --seed=7 \\
        --output video.mp4 \\
        -- 'a paper boat'"
    `);
  });
});
