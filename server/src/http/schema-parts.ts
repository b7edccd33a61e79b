import { type Static, type TSchema, Type } from 'typebox';

/** A value or null: a response has all fields. The description moves to the field, because tools show only that one. */
export function nullable<Schema extends TSchema>(
  schema: Schema & { description?: string },
  description: string | undefined = schema.description,
) {
  const { description: _, ...value } = schema;
  return Type.Unsafe<Static<Schema> | null>({
    anyOf: [value, { type: 'null' }],
    ...(description === undefined ? {} : { description }),
  });
}

/** Refers to a named schema instead of repeating it, and keeps its type. */
export function reference<Schema extends TSchema>(schema: Schema & { $id?: string }) {
  if (schema.$id === undefined) throw new TypeError('only a schema with an $id can be referenced');
  return Type.Unsafe<Static<Schema>>({ $ref: `${schema.$id}#` });
}

/** Refers to a named schema and says what the value means here. The OpenAPI plug-in drops what is next to a `$ref`. */
export function describedReference<Schema extends TSchema>(schema: Schema & { $id?: string }, description: string) {
  return Type.Unsafe<Static<Schema>>({ allOf: [reference(schema)], description });
}

export const unixSeconds = (description: string) => Type.Integer({ description: `${description} Unix seconds.` });

/** The last second of the year 9999: a later time is a mistake in the unit. */
export const latestUnixSecond = 253_402_300_799;

/** Returns the schema of a time in a query. */
export const momentParameter = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: latestUnixSecond,
      format: 'unixtime',
      description: `${description} Unix seconds.`,
    }),
  );

/** The kind of an object: the same in every object of the kind, for programs that handle several. */
export const objectKind = <Kind extends string>(kind: Kind) =>
  Type.Literal(kind, { description: `Always \`${kind}\`: the kind of this object.` });

/** The mark of a response to a deletion. */
export const deletedMark = () => Type.Literal(true, { description: 'Always true.' });
