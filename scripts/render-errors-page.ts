import { renderCodes } from '../server/src/api/render-codes.ts';

/** Renders docs/errors.md: the section of the API reference about codes, as a page of its own. */
export function renderErrorsPage(): string {
  return `# Error codes

Written by \`scripts/generate.ts\` from \`server/src/api/explained-codes.ts\`. Every installation shows the same list at
\`/docs\`, in the section "Error codes", after a section about the shape of errors.

${renderCodes()}
`;
}
