import type { Static, TObject, TSchema } from 'typebox';
import { type Problem, refuseFor } from './problems.ts';
import { schemaProblems } from './schema-problems.ts';
import { describeUnknownFields, unknownFieldProblem } from './unknown-fields.ts';

/**
 * A reader of query strings: digits become integers if the schema says so, `a,b` and repeated parameters a list,
 * `name[key]=value` an object. Everything else is strict, and all problems are listed at once: a mistyped filter would
 * return everything. Missing parameters are left out.
 */
export function queryReader<Schema extends TObject>(schema: Schema): (query: unknown) => Static<Schema> {
  const problemsOf = schemaProblems(schema);
  const names = Object.keys(schema.properties);
  return (query) => {
    // Fastify's parser returns an object of strings, and of arrays for parameters that were given more than once.
    const given = query as Readonly<Record<string, unknown>>;
    const values = Object.fromEntries(
      names
        .map((name) => [name, valueOf(name, given, schema.properties[name])] as const)
        .filter(([, value]) => value !== undefined),
    );
    const [first, ...others] = [
      ...problemsOf(values).map(inTermsOfQuery),
      ...unreadable(values),
      ...unknownParameters(query, schema.properties),
    ];
    if (first) throw refuseFor([first, ...others]);
    // No problem was found, so the values have the types of the schema.
    return values as Static<Schema>;
  };

  /** Items of a list have no names in a query, and a pair is named as it was sent. */
  function inTermsOfQuery(problem: Problem): Problem {
    const [name = '', ...rest] = problem.param.split('.');
    const type = typeOf(schema.properties[name]);
    if (type === 'object' && rest.length === 0 && problem.code === 'wrong_type')
      return { ...problem, message: `${name} must be written as ${name}[key]=value` };
    if (rest.length === 0 || (type !== 'array' && type !== 'object')) return problem;
    const param = type === 'array' ? name : `${name}[${rest.join('.')}]`;
    return { ...problem, param, message: problem.message.replace(problem.param, param) };
  }
}

function valueOf(name: string, given: Readonly<Record<string, unknown>>, schema: TSchema | undefined): unknown {
  const value = given[name];
  switch (typeOf(schema)) {
    case 'integer':
      return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    case 'array':
      return value === undefined
        ? undefined
        : [...new Set([value].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : [text])))];
    case 'object': {
      const pairs = Object.entries(given).flatMap(([parameter, inner]) => {
        const key = keyOfPair(parameter, name);
        return key === null ? [] : [[key, inner] as const];
      });
      // fromEntries defines properties, so that a key named __proto__ is a key like any other.
      return value === undefined && pairs.length > 0 ? Object.fromEntries(pairs) : value;
    }
    default:
      return value;
  }
}

/** Returns the problems of parameters that are not among those that an operation has. */
export function unknownParameters(query: unknown, properties: TObject['properties']): Problem[] {
  const known = Object.keys(properties);
  const isPair = (parameter: string) =>
    known.some((name) => typeOf(properties[name]) === 'object' && keyOfPair(parameter, name) !== null);
  const unknown = Object.keys(query ?? {}).filter((parameter) => !known.includes(parameter) && !isPair(parameter));
  const taken = known.length === 0 ? 'no query parameters' : known.join(', ');
  return describeUnknownFields(unknown, known, () => ` This operation takes ${taken}.`).map(unknownFieldProblem);
}

/** Returns the key of a parameter like `metadata[key]`, or null if the parameter is another one. */
function keyOfPair(parameter: string, name: string): string | null {
  return parameter.startsWith(`${name}[`) && parameter.endsWith(']') ? parameter.slice(name.length + 1, -1) : null;
}

function typeOf(schema: TSchema | undefined): unknown {
  return schema !== undefined && 'type' in schema ? schema.type : undefined;
}

/** Returns problems of text with NUL, which Postgres does not accept even in a comparison. */
function unreadable(values: Record<string, unknown>): Problem[] {
  return Object.entries(values)
    .filter(([, value]) => textsOf(value).some((text) => text.includes('\0')))
    .map(([param]) => ({
      error: 'invalid_parameter',
      param,
      code: 'malformed',
      message: `${param} must be text without NUL characters`,
    }));
}

/** Returns the texts that a value consists of, keys included. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsOf) : [];
}
