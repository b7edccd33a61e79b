import type { Static, TObject, TSchema } from 'typebox';
import { AppError } from '../errors.ts';
import { emptyBody } from './parse-json-bodies.ts';
import { type Problem, refuseFor } from './problems.ts';
import { schemaProblems } from './schema-problems.ts';
import { describeUnknownFields, unknownFieldProblem } from './unknown-fields.ts';

/**
 * A strict reader of bodies that change settings: lists all problems at once, and null counts as absent. Unknown fields
 * are refused: a misspelled `scopes` must not create a key that may do everything.
 */
export function bodyReader<Schema extends TObject>(
  schema: Schema,
  { isOptional = false }: { isOptional?: boolean } = {},
): (body: unknown) => Static<Schema> {
  const problemsOf = schemaProblems(schema);
  const known = Object.keys(schema.properties);
  /** A caller may name a value instead of its field, such as `enabled` for `status`. */
  const hintOf = (name: string): string => {
    const named = known.find((field) => valuesOf(schema.properties[field]).some((value) => value === name));
    if (named === undefined) return ` This operation takes ${known.join(', ')}.`;
    return ` Did you mean ${named}, which is one of ${valuesOf(schema.properties[named]).join(', ')}?`;
  };
  return (body) => {
    if (body === undefined && !isOptional) throw emptyBody();
    const given = body ?? {};
    if (typeof given !== 'object' || Array.isArray(given) || body === null) {
      throw new AppError('invalid_parameter', { message: 'The body must be a JSON object.' });
    }
    const pairs = Object.entries(given).filter(([, value]) => value !== null);
    const fields = Object.fromEntries(pairs.filter(([name]) => known.includes(name)));
    const unknown = pairs.map(([name]) => name).filter((name) => !known.includes(name));
    const [first, ...others] = [
      ...problemsOf(fields),
      ...unstorable(fields),
      ...describeUnknownFields(unknown, known, hintOf).map(unknownFieldProblem),
    ];
    if (first) throw refuseFor([first, ...others]);
    // No problem was found, so the fields have the types of the schema.
    return fields as Static<Schema>;
  };
}

/** Returns problems of text that Postgres cannot store: it accepts neither NUL nor half a surrogate pair. */
function unstorable(fields: Record<string, unknown>): Problem[] {
  return Object.entries(fields)
    .filter(([, value]) => typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
    .map(([param]) => ({
      error: 'invalid_parameter',
      param,
      code: 'malformed',
      message: `${param} must be valid Unicode text without NUL characters`,
    }));
}

function valuesOf(schema: TSchema | undefined): readonly unknown[] {
  return schema !== undefined && 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : [];
}
