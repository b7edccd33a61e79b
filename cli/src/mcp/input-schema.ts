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

function describe({ instancePath, params, message }: Problem, known: string[]): string {
  const field = instancePath.slice(1);
  if ('missingProperty' in params) return `${params['missingProperty']} is required`;
  if ('additionalProperty' in params) {
    return `there is no field ${params['additionalProperty']}: the fields are ${known.join(', ') || 'none'}`;
  }
  const { allowedValues } = params;
  if (Array.isArray(allowedValues)) return `${field} must be one of ${allowedValues.join(', ')}`;
  return `${field} ${message ?? 'is not valid'}`;
}
