import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promptWarning } from './prompt-warning.ts';

const root = join(import.meta.dirname, '../../..');
/** Where callers find prompts to try: documents, the snippets that they quote, and the examples of the API. */
const documents = globSync(
  [
    '*.md',
    '{docs,cli,sdk,integrations,predictors}/**/*.md',
    'docs/guides/**/*.{ts,js,py,sh,html,jsonl}',
    '{sdk,integrations}/**/examples/**/*.{ts,tsx}',
    'openapi.json',
  ],
  { cwd: root, exclude: (path) => /(^|\/)node_modules(\/|$)|\.test\.ts$/.test(path) },
).toSorted((one, other) => one.localeCompare(other));

const quoted = String.raw`(?<quote>\\?["'\x60])(?<prompt>(?:(?!\k<quote>).)+)\k<quote>`;
/** A field or variable `prompt`, an input of a page, or the argument of the command. */
const places = [
  String.raw`\bprompt\\?["']?\s*[:=]\s*${quoted}`,
  String.raw`name="prompt" value=${quoted}`,
  String.raw`kinora(?: --json)? generate ${quoted}`,
].map((place) => new RegExp(place, 'g'));
const linesAround = 8;

const prompts = documents.flatMap((document) => {
  const text = readFileSync(join(root, document), 'utf8');
  return places
    .flatMap((place) => [...text.matchAll(place)])
    .map(({ groups, index }) => ({
      document,
      text,
      prompt: groups?.['prompt'] ?? '',
      isForImage: /image/i.test(around(text, index)),
    }))
    .filter(({ prompt }) => isWritten(prompt));
});

test('the prompts of the documents are found', () => {
  const found = new Set(prompts.map(({ document }) => document));
  for (const document of [
    'README.md',
    'docs/cli.md',
    'docs/guides/first-video/README.md',
    'sdk/README.md',
    'openapi.json',
  ])
    expect([...found]).toContain(document);
  expect(prompts.map(({ prompt }) => prompt)).toContain('A paper boat drifts down a rain-soaked street');
});

test('no prompt of our own documents gets a warning that the document does not explain', () => {
  const unexplained = prompts.flatMap(({ document, text, prompt, isForImage }) => {
    const types = isForImage ? (['text_to_video', 'image_to_video'] as const) : (['text_to_video'] as const);
    const messages = types.map((type) => promptWarning(type, withoutDirectives(prompt))?.message ?? null);
    const isFine = messages.some((message) => message === null || text.includes(message));
    return isFine ? [] : [`${document}: ${prompt}: ${messages[0]}`];
  });
  expect(unexplained).toEqual([]);
});

/** Returns whether it is a prompt rather than a variable or a placeholder. */
function isWritten(prompt: string): boolean {
  return withoutDirectives(prompt).trim() !== '' && !/[$<>{}…]/u.test(prompt);
}

/** The directives of test mode are no words of the prompt. */
function withoutDirectives(prompt: string): string {
  return prompt.replaceAll(/\[\[[^\]]*\]\]/g, '');
}

function around(text: string, index: number): string {
  const before = text.slice(0, index).split('\n').slice(-linesAround);
  const after = text.slice(index).split('\n').slice(0, linesAround);
  return [...before, ...after].join('\n');
}
