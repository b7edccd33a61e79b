import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, inject } from 'vitest';

interface Document {
  openapi: string;
  paths: Record<string, unknown>;
  components: { schemas: Record<string, { required?: string[] }> };
}

/** Reads the OpenAPI document of the running service. */
export async function readOpenapi(): Promise<Document> {
  const response = await fetch(`${inject('world').url}/openapi.json`);
  return (await response.json()) as Document;
}

/** Returns functions that check bodies of responses against the service's own OpenAPI document. */
export async function describedResponses() {
  const document = await readOpenapi();
  // Not strict, because OpenAPI has keywords that JSON Schema does not know.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'openapi.json');
  const check = (name: string): ((body: unknown) => void) => {
    const validate: ValidateFunction = ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` });
    const { schemas } = document.components;
    const { required: fields = [] } = schemas[`Any${name}`] ?? schemas[name] ?? {};
    return (body) => {
      validate(body);
      expect(validate.errors ?? []).toEqual([]);
      // Every described field is always present, and no other field.
      expect(Object.keys(body as object).sort()).toEqual([...fields].sort());
    };
  };
  return { check, expectTask: check('Task'), expectError: check('Error'), expectVideo: check('Video') };
}
