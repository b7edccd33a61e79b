import type { createBox } from '@kinora/boxes/box';
import type { BoxProgram } from '@kinora/boxes/box-limits';
import { SettingsError } from '@kinora/settings/read-settings';
import { type Config, readConfig } from '../../config/config.ts';
import { conflictsOfPlainText, conflictsOfProduction } from '../../config/conflicts.ts';
import { wireFoundation } from '../../wiring/foundation.ts';
import { readTemporalAccess } from '../../wiring/read-temporal-access.ts';
import { checkEndpoints } from '../check-endpoints.ts';
import { createBucketClient } from './bucket-client.ts';
import type { DoctorParts, SettingProblems } from './doctor-check.ts';
import { createTemporalClient } from './temporal-client.ts';

/** Programs to use instead of those of the machine. */
export type OtherPrograms = Partial<Record<BoxProgram, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenedParts {
  /** Null if the settings cannot be read at all. */
  parts: DoctorParts | null;
  problems: readonly string[];
  close(): Promise<void>;
}

/** Reads the settings as a role does, even if merely unsafe ones would stop it, and wires the parts that they name. */
export function openDoctorParts(
  environment: Environment,
  programs: OtherPrograms,
  startBox: typeof createBox,
): OpenedParts {
  const quiet = { ...environment, KINORA_LOG_LEVEL: 'silent' };
  const strict = read(quiet);
  const { config } = strict.config ? strict : read({ ...quiet, KINORA_ENV: 'development' });
  if (!config) return { parts: null, problems: strict.problems, close: async () => undefined };
  const foundation = wireFoundation(config, ['doctor']);
  const temporal = createTemporalClient(readTemporalAccess(config));
  const bucket = createBucketClient(config);
  const box = once(() => startBox({ minimumIsolation: config.KINORA_MINIMUM_ISOLATION, programs }));
  const endpoints = once(() => checkEndpoints(foundation));
  return {
    parts: { config, problems: sortProblems(strict.problems, config), foundation, temporal, bucket, box, endpoints },
    problems: strict.problems,
    close: async () => {
      bucket.client.destroy();
      await temporal.close();
      await foundation.close();
    },
  };
}

/** Returns a function that does the work when it is first called, and always returns the same result. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => (result ??= work());
}

function read(environment: Environment): { config: Config | null; problems: readonly string[] } {
  try {
    return { config: readConfig(environment), problems: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    // The first line counts the problems, and each of the others is one.
    return { config: null, problems: error.message.split('\n- ').slice(1) };
  }
}

function sortProblems(problems: readonly string[], config: Config): SettingProblems {
  const unencrypted = new Set(conflictsOfPlainText(config));
  // The other problems of production do not concern secrets.
  const harmless = { KINORA_FAILPOINTS: [], KINORA_PUBLIC_URL: 'https://a', KINORA_CONSOLE_URL: 'https://b' };
  const weak = new Set(conflictsOfProduction({ ...config, ...harmless }));
  return {
    secrets: problems.filter((problem) => weak.has(problem)),
    plainText: problems.filter((problem) => unencrypted.has(problem)),
    others: problems.filter((problem) => !weak.has(problem) && !unencrypted.has(problem)),
  };
}
