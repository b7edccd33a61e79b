import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, inject } from 'vitest';

interface Document {
  openapi: string;
  paths: Record<string, unknown>;
  components: { schemas: Record<string, { required?: string[] }> };
}

/** The description that the running service gives of itself. */
export async function readOpenapi(): Promise<Document> {
  const response = await fetch(`${inject('world').url}/openapi.json`);
  return (await response.json()) as Document;
}

/** Checks of answers against the service's own description. */
export async function describedResponses() {
  const document = await readOpenapi();
  // Not strict: OpenAPI has keywords of its own.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'openapi.json');
  const check = (name: string): ((body: unknown) => void) => {
    const validate: ValidateFunction = ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` });
    const fields = document.components.schemas[name]?.required ?? [];
    return (body) => {
      validate(body);
      expect(validate.errors ?? []).toEqual([]);
      // Every field is always there, and none that is not described.
      expect(Object.keys(body as object).sort()).toEqual([...fields].sort());
    };
  };
  return { check, expectTask: check('Task'), expectError: check('Error'), expectVideo: check('Video') };
}
