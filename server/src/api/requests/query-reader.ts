import type { Static, TObject, TSchema } from 'typebox';
import { type Problem, refuseFor } from './problems.ts';
import { schemaProblems } from './schema-problems.ts';

/**
 * Returns a reader of query strings for a schema. Digits become integers if the schema says so; everything else is
 * strict, and all problems are listed at once. Parameters that the schema does not name are ignored, and missing ones
 * are left out.
 */
export function queryReader<Schema extends TObject>(schema: Schema): (query: unknown) => Static<Schema> {
  const problemsOf = schemaProblems(schema);
  const names = Object.keys(schema.properties);
  return (query) => {
    // Fastify's parser returns an object of strings, and of arrays for parameters that were given more than once.
    const given = query as Readonly<Record<string, unknown>>;
    const values = Object.fromEntries(
      names
        .filter((name) => given[name] !== undefined)
        .map((name) => [name, coerced(given[name], schema.properties[name])]),
    );
    const [first, ...others] = [...problemsOf(values), ...unreadable(values)];
    if (first) throw refuseFor([first, ...others]);
    // No problem was found, so the values have the types of the schema.
    return values as Static<Schema>;
  };
}

function coerced(value: unknown, schema: TSchema | undefined): unknown {
  const isInteger = schema !== undefined && 'type' in schema && schema.type === 'integer';
  return isInteger && typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

/** Returns problems of text with NUL, which Postgres does not accept even in a comparison. */
function unreadable(values: Record<string, unknown>): Problem[] {
  return Object.entries(values)
    .filter(([, value]) => typeof value === 'string' && value.includes('\0'))
    .map(([param]) => ({
      error: 'invalid_parameter',
      param,
      code: 'malformed',
      message: `${param} must be text without NUL characters`,
    }));
}
