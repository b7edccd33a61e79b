import type { JsonSchemaType, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { Ajv } from '@modelcontextprotocol/server/validators/ajv';

type Problem = NonNullable<InstanceType<typeof Ajv>['errors']>[number];

const ajv = new Ajv({ allErrors: true, strict: false });

/**
 * Returns the input schema of a tool; `Input` is the type of valid input. Null means absent, as in the whole API,
 * because models tend to fill in every field. Unknown fields are rejected: otherwise a model would believe that they
 * have an effect.
 */
export function inputSchema<Input>(
  properties: Record<string, object>,
  required: string[],
): StandardSchemaWithJSON<Input, Input> {
  const schema = { type: 'object', properties, required, additionalProperties: false };
  const check = ajv.compile<Input>(schema);
  const asJson = () => schema satisfies JsonSchemaType;
  return {
    '~standard': {
      version: 1,
      vendor: 'kinora',
      jsonSchema: { input: asJson, output: asJson },
      validate(given) {
        const value: unknown = withoutNulls(given);
        if (check(value)) return { value };
        const problems = (check.errors ?? []).map((problem) => describe(problem, Object.keys(properties)));
        return { issues: [{ message: problems.join('; ') }] };
      },
    },
  };
}

function withoutNulls(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function describe({ instancePath, keyword, params, message }: Problem, known: string[]): string {
  const field = instancePath.slice(1);
  if ('missingProperty' in params) return `${params['missingProperty']} is required`;
  if ('additionalProperty' in params) {
    return `there is no field ${params['additionalProperty']}: the fields are ${known.join(', ') || 'none'}`;
  }
  return `${field} ${rule(keyword, params) ?? message ?? 'is not valid'}`;
}

/** Says what a value must be, in the words of the API; undefined if our schemas do not use the keyword. */
function rule(keyword: string, { limit, type, allowedValues }: Problem['params']): string | undefined {
  switch (keyword) {
    case 'enum':
      return `must be one of ${(allowedValues as unknown[]).join(', ')}`; // ajv always names them
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return 'must not be empty'; // our schemas have no other minimum
    case 'maxLength':
      return `must be at most ${limit} characters`;
    case 'type':
      return `must be ${type === 'integer' ? 'an integer' : `a ${type}`}`;
    default:
      return undefined;
  }
}
