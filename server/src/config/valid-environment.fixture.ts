import { SettingsError } from '@kinora/settings/read-settings';
import { readConfig } from './config.ts';

/** The settings that production needs. */
export const validEnvironment = {
  KINORA_SECRET_KEYS: 'q8Zr2LxV0bYt5NcK7wDf3HsJ9uMaEoPg',
  KINORA_DATABASE_URL: 'postgres://kinora@127.0.0.1:5432/kinora',
  KINORA_S3_ENDPOINT: 'http://127.0.0.1:7070',
};

/** Returns the problems of an environment, as a role or `read` finds them. */
export function problemsOf(
  environment: Record<string, string | undefined>,
  read: (environment: Record<string, string | undefined>) => unknown = readConfig,
): string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n- ').slice(1);
    throw error;
  }
}
