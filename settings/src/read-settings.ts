import { file, type Setting } from './setting.ts';

/** A program's settings, by the name of their environment variable. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values that `readSettings` returns for a table of settings. */
export type Settings<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

interface Options {
  environment: Readonly<Record<string, string | undefined>>;
  /** Values for required settings that may be missing in this environment, such as the signing key in development. */
  substitutes?: Readonly<Record<string, unknown>>;
  /** Whether a variable that is not in the table is a misspelled setting; false if it belongs to another program. */
  isOurs: (name: string) => boolean;
  /** Whether a missing setting is a problem only once it is read, because the program may not need it. */
  defersMissing?: boolean;
}

/** Reads the settings of a table from the environment. Throws one error that lists every problem. */
export function readSettings<Table extends SettingsTable>(table: Table, options: Options): Settings<Table> {
  const { environment, substitutes = {}, isOurs, defersMissing = false } = options;
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(table)) {
    try {
      const value = textOf(name, definition, environment);
      if (value !== undefined) values[name] = definition.read(value);
      else if (definition.fallback !== undefined) values[name] = definition.fallback;
      else if (name in substitutes) values[name] = substitutes[name];
      else if (defersMissing) deferMissing(values, name, definition);
      else problems.push(missing(name, definition));
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : 'is not valid'}. ${definition.doc}`);
    }
  }
  for (const name of Object.keys(environment)) {
    if (name in table || !isOurs(name) || table[name.replace(/_FILE$/, '')]?.isSecret) continue;
    problems.push(`${name} is not a setting. Check its spelling against .env.example.`);
  }
  if (problems.length > 0) throw new SettingsError(problems);
  // The setting of the same name has read each value, as the mapped type says.
  return values as Settings<Table>;
}

/**
 * Returns the text of a setting; undefined if there is none. No message repeats the path of a file, because a secret may
 * have been put there by mistake.
 */
function textOf(name: string, { isSecret }: Setting<unknown>, environment: Options['environment']): string | undefined {
  const value = environment[name] || undefined;
  const path = isSecret && environment[`${name}_FILE`];
  if (!path) return value;
  if (value !== undefined) throw new Error(`is set twice: use either ${name} or ${name}_FILE`);
  try {
    const text = file(path)
      .toString()
      .replace(/\r?\n$/, '');
    if (text === '') throw new Error('names an empty file');
    return text;
  } catch (error) {
    throw new Error(`has no value: ${name}_FILE ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

function missing(name: string, { doc }: Setting<unknown>): string {
  return `${name} is missing. ${doc}`;
}

/** Lets the reader of a missing setting fail. A copy of the values, such as `{ ...values }`, lacks the setting. */
function deferMissing(values: Record<string, unknown>, name: string, definition: Setting<unknown>): void {
  Object.defineProperty(values, name, {
    get: () => {
      throw new SettingsError([missing(name, definition)]);
    },
  });
}

export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem${problems.length === 1 ? '' : 's'}:\n- ${problems.join('\n- ')}`,
    );
    this.name = 'SettingsError';
  }
}

/** Renders a table of settings as a part of `.env.example`; settings with a default are commented out. */
export function renderExample(table: SettingsTable): string {
  return Object.entries(table)
    .map(([name, { doc, example, fallback, isSecret }]) => {
      const file = isSecret ? ` ${name}_FILE can name a file with the value instead.` : '';
      return `# ${doc}${file}\n${fallback === undefined ? '' : '#'}${name}=${example}\n`;
    })
    .join('\n');
}

/** Renders a table of settings as a table in Markdown. */
export function renderSettingsTable(table: SettingsTable): string {
  const rows = Object.entries(table).map(([name, definition]) => {
    const { doc, read, isSecret } = definition;
    return `| \`${name}\` | ${describeDefault(definition)} | ${read.accepts ?? ''} | ${isSecret ? 'yes' : ''} | ${doc} |\n`;
  });
  return `| Setting | Default | Values | Secret | Meaning |\n|---|---|---|---|---|\n${rows.join('')}`;
}

function describeDefault({ fallback, defaultWords }: Setting<unknown>): string {
  if (fallback === undefined) return 'required';
  if (defaultWords !== undefined) return defaultWords;
  // A fallback is text, a number, a flag, null, or a list or table of these.
  const values: unknown[] = typeof fallback === 'object' ? Object.values(fallback ?? {}) : [fallback];
  return values.length === 0 ? 'none' : `\`${values.map(String).join()}\``;
}
