import { readFileSync } from 'node:fs';

/** Parses the text of a setting. */
export interface Reader<T> {
  (text: string): T;
  /** The values that it takes, such as "1 to 64"; undefined if there are too many kinds to say. */
  accepts?: string;
}

/** One setting: how its text is parsed, its default, and what it is for. */
export interface Setting<T> {
  read: Reader<T>;
  /** Undefined means that the setting is required. */
  fallback?: T;
  /** What the page of settings says of a default that differs from machine to machine. */
  defaultWords?: string;
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

export const integer = (minimum: number, maximum: number): Reader<number> =>
  accepting(`${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`, (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  });

export const flag: Reader<boolean> = accepting('true, false', (value) => {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
});

export const oneOf = <T extends string>(...values: readonly T[]): Reader<T> =>
  accepting(values.join(', '), (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  });

/** Reads a comma-separated list; empty items are dropped. */
export const list = <T>(read: Reader<T>): Reader<readonly T[]> =>
  accepting(read.accepts, (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(read),
  );

export const logLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent');

function accepting<T>(accepts: string | undefined, read: (text: string) => T): Reader<T> {
  return Object.assign((value: string) => read(value), accepts === undefined ? {} : { accepts });
}
