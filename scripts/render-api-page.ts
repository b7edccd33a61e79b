import { introduction } from '../server/src/api/introduction.ts';

const pages: Readonly<Record<string, string>> = {
  'test-mode': 'test-mode.md',
  'error-codes': 'errors.md',
  'codes-of-failed-tasks': 'errors.md#codes-of-failed-tasks',
};

/** Renders docs/api.md: what opens the API reference of every installation, without the codes, which have their own page. */
export function renderApiPage(): string {
  const [text = ''] = introduction('https://video.example.com').split('\n# Error codes\n');
  const body = text
    .replaceAll(/^# /gm, '## ')
    .replaceAll(/\(#description\/([\w-]+)\)/g, (_, anchor: string) => `(${pages[anchor] ?? `#${anchor}`})`);
  return `<!-- Generated from server/src/api/introduction.md by npm run fix; do not edit. -->

# The API

Every installation shows this at \`/docs\`, with each route and field; [openapi.json](../openapi.json) has the same. [Error
codes](errors.md) lists what can go wrong.

${body.trim()}
`;
}
