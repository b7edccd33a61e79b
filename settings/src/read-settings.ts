import type { Setting } from './setting.ts';

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
}

/** Reads the settings of a table from the environment. Throws one error that lists every problem. */
export function readSettings<Table extends SettingsTable>(table: Table, options: Options): Settings<Table> {
  const { environment, substitutes = {}, isOurs } = options;
  const problems: string[] = [];
  const entries = Object.entries(table).map(([name, definition]) => {
    const value = environment[name];
    if (value === undefined || value === '') {
      if (definition.fallback !== undefined) return [name, definition.fallback];
      if (name in substitutes) return [name, substitutes[name]];
      problems.push(`${name} is missing. ${definition.doc}`);
      return [name, undefined];
    }
    try {
      return [name, definition.read(value)];
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : 'is not valid'}. ${definition.doc}`);
      return [name, undefined];
    }
  });
  for (const name of Object.keys(environment)) {
    if (name in table || !isOurs(name)) continue;
    problems.push(`${name} is not a setting. Check its spelling against .env.example.`);
  }
  if (problems.length > 0) throw new SettingsError(problems);
  // The setting of the same name has read each entry, as the mapped type says.
  return Object.fromEntries(entries) as Settings<Table>;
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
    .map(([name, { doc, example, fallback }]) => `# ${doc}\n${fallback === undefined ? '' : '#'}${name}=${example}\n`)
    .join('\n');
}
