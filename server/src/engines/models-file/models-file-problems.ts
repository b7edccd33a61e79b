import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { nearestName } from '../../domain/nearest-name.ts';
import { patternSentences } from './models-file-schema.ts';
import type { FilePath, FileProblem } from './models-file-yaml.ts';

// By default the library lists 8 problems and silently drops the rest.
Settings.Set({ maxErrors: 100 });

const typeNames: Record<string, string> = {
  integer: 'a whole number',
  string: 'a text (in quotes if it looks like a number)',
  object: 'a mapping',
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
};

/** Returns a check that lists where a value differs from a schema, with one sentence per place. */
export function schemaCheck(schema: TSchema): (value: unknown, at: FilePath) => FileProblem[] {
  const validator = Compile(schema);
  return (value, at) => {
    const found = new Map<string, FileProblem>();
    for (const error of validator.Errors(value)) {
      const inside = error.instancePath.split('/').slice(1).map(unescapePointer);
      for (const { name, text } of describe(error, schema, inside)) {
        const path = name === null ? inside : [...inside, name];
        const place = path.join('/');
        // Only the first problem of a place: a wrong type makes every other rule fail too.
        if (!found.has(place)) found.set(place, { path: [...at, ...path], text: `${path.join('.')} ${text}`.trim() });
      }
    }
    return [...found.values()];
  };
}

/** Describes an error at its place, or the fields that are missing there. */
function describe(
  error: TLocalizedValidationError,
  schema: TSchema,
  inside: readonly string[],
): { name: string | null; text: string }[] {
  const here = (text: string) => [{ name: null, text }];
  if (error.schemaPath.includes('/anyOf/')) return []; // a value that fits no branch is reported once, below
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({ name, text: 'is missing: add it' }));
    case 'boolean': {
      // The only schema that is `false` is the one for unknown fields.
      const known = fieldsAt(schema, inside.slice(0, -1));
      const nearest = nearestName(inside.at(-1) ?? '', known);
      if (known.length === 0) return here('must be a delivered size like "1280x720"');
      return here(
        nearest ? `is not a field: did you mean ${nearest}?` : `is not a field: the fields are ${known.join(', ')}`,
      );
    }
    case 'additionalProperties':
      return []; // each of them is reported on its own
    case 'type':
      return here(
        `must be ${[error.params.type]
          .flat()
          .map((type) => typeNames[type] ?? type)
          .join(' or ')}`,
      );
    case 'anyOf':
      return here('must be a text, a number, true or false');
    case 'enum':
      return here(`must be one of ${error.params.allowedValues.join(', ')}`);
    case 'const':
      return here(`must be ${String(error.params.allowedValue)}`);
    case 'pattern':
      return here(patternSentences[String(error.params.pattern)] ?? 'is not allowed');
    case 'minimum':
      return here(`must be at least ${error.params.limit}`);
    case 'maximum':
      return here(`must be at most ${error.params.limit}`);
    case 'multipleOf':
      return here(`must be a multiple of ${error.params.multipleOf}`);
    case 'minItems':
    case 'minProperties':
    case 'minLength':
      return here('must not be empty');
    case 'maxLength':
      return here(`must be at most ${error.params.limit} characters`);
    default:
      return here('is not allowed');
  }
}

interface Properties {
  properties?: Record<string, Properties>;
  items?: Properties;
}

/** Returns the names of the fields at a place; none if it takes any name that fits a pattern. */
function fieldsAt(schema: TSchema, path: readonly string[]): string[] {
  let place: Properties | undefined = schema; // only the keywords that lead further down matter
  for (const step of path) place = place?.properties?.[step] ?? place?.items;
  return Object.keys(place?.properties ?? {});
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
