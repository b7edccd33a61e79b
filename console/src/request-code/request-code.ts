import { quoteShell, writeJson, writeTypeScript } from './quote.ts';
import { callOf, type VideoRequest } from './video-request.ts';

export type Language = 'curl' | 'TypeScript' | 'Python' | 'CLI';
export const languages: readonly Language[] = ['curl', 'TypeScript', 'Python', 'CLI'];

/** Returns a program that sends exactly this request. The key is read from the variable KINORA_API_KEY. */
export function codeOf(language: Language, request: VideoRequest, baseUrl: string): string {
  return writers[language](request, baseUrl);
}

const writers: Record<Language, (request: VideoRequest, baseUrl: string) => string> = {
  curl: (request, baseUrl) => {
    const { path, body } = callOf(request);
    return [
      `curl ${quoteShell(`${baseUrl}${path}`)} \\`,
      '  -H "Authorization: Bearer $KINORA_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d ${quoteShell(writeJson(body))}`,
    ].join('\n');
  },

  TypeScript: (request, baseUrl) =>
    [
      "import { Kinora } from '@kinora/sdk';",
      '',
      `const kinora = new Kinora({ baseUrl: ${writeTypeScript(baseUrl)}, apiKey: process.env.KINORA_API_KEY });`,
      `const task = await kinora.videos.run(${writeTypeScript(request)});`,
      "await kinora.videos.save(task, 'video.mp4');",
    ].join('\n'),

  Python: (request, baseUrl) => {
    const { path, body } = callOf(request);
    return [
      'import json',
      'import os',
      'import urllib.request',
      '',
      `body = ${writeJson(body)}`,
      'request = urllib.request.Request(',
      `  ${JSON.stringify(`${baseUrl}${path}`)},`,
      '  data=json.dumps(body).encode(),',
      '  headers={',
      '    "Authorization": "Bearer " + os.environ["KINORA_API_KEY"],',
      '    "Content-Type": "application/json",',
      '  },',
      ')',
      'with urllib.request.urlopen(request) as response:',
      '  task = json.load(response)',
      'print(task["id"], task["status"])',
    ].join('\n');
  },

  CLI: (request, baseUrl) => {
    const { prompt, image, ...rest } = { image: undefined, ...request };
    // `=` keeps a value that begins with a dash from being read as an option; `--` does the same for the prompt.
    const options = Object.entries({ image, ...rest } as Record<string, OptionValue>).flatMap(([name, value]) =>
      optionsOf(name, value),
    );
    const words = ['kinora generate', ...options, '--output video.mp4', `-- ${quoteShell(prompt)}`];
    return [`export KINORA_BASE_URL=${quoteShell(baseUrl)}`, words.join(' \\\n  ')].join('\n');
  },
};

type OptionValue = string | number | Record<string, string> | undefined;

function optionsOf(name: string, value: OptionValue): string[] {
  if (value === undefined) return [];
  const option = `--${name.replaceAll('_', '-')}`;
  if (typeof value !== 'object') return [`${option}=${quoteShell(String(value))}`];
  return Object.entries(value).map(([key, one]) => `${option}=${quoteShell(`${key}=${one}`)}`);
}
