import { renderCodes } from '../server/src/api/render-codes.ts';

/** Renders docs/errors.md: the section of the API reference about codes, as a page of its own. */
export function renderErrorsPage(): string {
  return `# Error codes

\`scripts/generate.ts\` writes this page from \`server/src/api/explained-codes.ts\`; do not edit it. Every installation shows
the same list at \`/docs\`, under "Error codes". [Errors](api.md#errors) describes the body of an
error.

${renderCodes()}
`;
}
