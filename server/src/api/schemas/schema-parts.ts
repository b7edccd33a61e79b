import { type Static, type TSchema, Type } from 'typebox';

/** Returns the schema of a value or null: fields of a response are always present. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** Refers to a named schema instead of repeating it, and keeps its type. */
export function reference<Schema extends TSchema>(schema: Schema & { $id?: string }) {
  if (schema.$id === undefined) throw new TypeError('only a schema with an $id can be referenced');
  return Type.Unsafe<Static<Schema>>({ $ref: `${schema.$id}#` });
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
