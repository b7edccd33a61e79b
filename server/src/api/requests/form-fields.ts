import type { Problem } from '../../http/problems.ts';
import { type FormPart, textOfPart } from './parse-multipart.ts';
import type { MultipartForm } from './parse-multipart-bodies.ts';

export interface FormFields {
  /** The fields as a JSON body would have them: `a[b]` is an object, `a[]` an array, and `integers` are numbers. */
  fields: Record<string, unknown>;
  file: FormPart | null;
  problems: Problem[];
}

/** Reads a form as if it were JSON. Fields that are not `known` keep their name but lose their content. */
export function readFormFields(
  { parts }: MultipartForm,
  { known, integers, file: fileName }: { known: readonly string[]; integers: readonly string[]; file: string },
): FormFields {
  const fields = new Map<string, unknown>();
  const problems: Problem[] = [];
  let file: FormPart | null = null;
  for (const part of parts) {
    const { name, key } = splitName(part.name);
    if (!known.includes(name)) {
      fields.set(part.name, '');
      continue;
    }
    const text = textOfPart(part);
    if (name === fileName && key === null && (part.filename !== null || text === null)) {
      if (file) problems.push(twice(name));
      file = part;
    } else if (text === null) {
      problems.push({
        error: 'invalid_parameter',
        param: name,
        code: 'malformed',
        message: `${name} must be UTF-8 text`,
      });
    } else if (!add(fields, name, key, integers.includes(name) && /^-?\d{1,16}$/.test(text) ? Number(text) : text)) {
      problems.push(twice(name));
    }
  }
  if (file && fields.has(fileName)) problems.push(twice(fileName));
  const asJson = (value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  // fromEntries defines properties, so that a field named __proto__ is a field like any other.
  return { fields: Object.fromEntries([...fields].map(([name, value]) => [name, asJson(value)])), file, problems };
}

/** Adds a value and returns true, or returns false if the field already exists or has another type. */
function add(fields: Map<string, unknown>, name: string, key: string | null, value: unknown): boolean {
  const present = fields.get(name);
  if (key === null) return present === undefined && fields.set(name, value).has(name);
  const holder = present ?? (key === '' ? [] : new Map<string, unknown>());
  fields.set(name, holder);
  if (Array.isArray(holder)) return key === '' && holder.push(value) > 0;
  return key !== '' && holder instanceof Map && !holder.has(key) && holder.set(key, value).has(key);
}

function splitName(written: string): { name: string; key: string | null } {
  const [, name = written, key = null] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(written) ?? [];
  return { name, key };
}

function twice(param: string): Problem {
  return { error: 'invalid_parameter', param, code: 'too_many', message: `${param} must be sent once` };
}
