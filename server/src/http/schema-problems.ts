import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import type { Problem } from './problems.ts';
import { nameForPeople } from './unknown-fields.ts';

// The library lists 8 problems and silently drops the rest. A limit is still needed against bodies full of problems.
Settings.Set({ maxErrors: 100 });

interface FieldSchema {
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  enum?: readonly string[];
  format?: string;
  /** The schema of an array's items. */
  items?: FieldSchema;
}

const typeNames: Record<string, string> = {
  integer: 'an integer',
  string: 'a string',
  object: 'an object of strings',
  array: 'an array',
};

/** Returns a strict check against a schema. It coerces, removes and adds nothing, and lists one problem per field. */
export function schemaProblems(
  schema: TSchema & { properties: Record<string, TSchema> },
): (value: unknown) => Problem[] {
  const validator: Validator = Compile(schema);
  return (value) => {
    const problems = new Map<string, Problem>();
    for (const error of validator.Errors(value)) {
      for (const problem of describe(error, schema.properties)) {
        // Only the first problem of a field is listed: a wrong type makes every other rule fail too.
        if (!problems.has(problem.param)) problems.set(problem.param, problem);
      }
    }
    return [...problems.values()];
  };
}

function describe(error: TLocalizedValidationError, properties: Record<string, TSchema>): Problem[] {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const field = path[0] ?? '';
  const param = path.map(nameForPeople).join('.');
  // The cast narrows a JSON schema to the keywords that our schemas use.
  const ofField = (properties[field] ?? {}) as FieldSchema;
  const rules = (path.length > 1 ? ofField.items : null) ?? ofField;
  const problem = (code: string, message: string, allowed?: readonly (string | number)[]): Problem[] => [
    { error: 'invalid_parameter', param, code, message: `${param} ${message}`, ...(allowed ? { allowed } : {}) },
  ];
  const range = allowedOf(rules);

  if (error.schemaPath.endsWith('/propertyNames')) {
    return error.keyword === 'maxLength'
      ? problem('too_long', `must have keys of at most ${error.params.limit} characters`)
      : problem('too_short', 'must not have an empty key');
  }
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        error: 'missing_parameter',
        param: name,
        code: 'missing',
        message: `${name} is required`,
      }));
    case 'type': {
      const type = path.length > 1 ? 'string' : String(error.params.type);
      if (rules.format === 'unixtime') return problem('wrong_type', 'must be unix seconds, such as 1794700000', range);
      if (rules.enum) return problem('wrong_type', `must be one of ${rules.enum.join(', ')}`, rules.enum);
      return problem('wrong_type', `must be ${typeNames[type] ?? type}`, range);
    }
    case 'enum':
      return problem('not_allowed', `must be one of ${(rules.enum ?? []).join(', ')}`, rules.enum);
    case 'minimum':
      return problem('too_small', `must be at least ${error.params.limit}`, range);
    case 'maximum':
      return problem('too_big', `must be at most ${error.params.limit}`, range);
    case 'minLength':
      return problem('too_short', 'must not be empty');
    case 'maxLength':
      return problem('too_long', `must be at most ${error.params.limit} characters`);
    case 'minItems':
      return problem(
        'too_short',
        `must have at least ${error.params.limit} item${error.params.limit === 1 ? '' : 's'}`,
      );
    case 'maxItems':
      return problem('too_many', `must have at most ${error.params.limit} items`);
    case 'maxProperties':
      return problem('too_many', `must have at most ${error.params.limit} pairs`);
    // Each of these sums up problems that are listed separately.
    case 'additionalProperties':
    case 'propertyNames':
      return [];
    default:
      return problem('not_allowed', 'is not allowed');
  }
}

function allowedOf({ minimum, maximum }: FieldSchema): [number, number] | undefined {
  return minimum === undefined || maximum === undefined ? undefined : [minimum, maximum];
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
