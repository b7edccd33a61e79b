import { readFileSync } from 'node:fs';

/** One setting: how its text is parsed, its default, and what it is for. */
export interface Setting<T> {
  read: (text: string) => T;
  /** Undefined means that the setting is required. */
  fallback?: T;
  /** The value shown in `.env.example`. */
  example: string;
  /** Whether nobody else may see the value. It can then also be in a file, which `NAME_FILE` names. */
  isSecret?: true;
  doc: string;
}

/** Returns its argument; it only infers the type of one row of a table of settings. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition;

// Each reader below parses a value or throws an error. The message continues "KINORA_PORT …" and never repeats the
// value.

export const text = (value: string): string => value;

/** Reads the file at a path. */
export const file = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`names a file that cannot be read (${code})`, { cause: error });
  }
};

export const url = (value: string): string => {
  if (!URL.canParse(value)) throw new Error('must be a URL');
  return value.replace(/\/$/, '');
};

export const integer =
  (minimum: number, maximum: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };

export const flag = (value: string): boolean => {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
};

export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string): T => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };

/** Reads a comma-separated list; empty items are dropped. */
export const list =
  <T>(read: (item: string) => T) =>
  (value: string): readonly T[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(read);

export const logLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent');
