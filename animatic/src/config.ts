import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Isolation, isolations } from '@kinora/boxes/isolation';
import { readSettings, renderExample, renderSettingsTable, type Settings } from '@kinora/settings/read-settings';
import { integer, list, logLevel, oneOf, setting, text } from '@kinora/settings/setting';

/** Settings that no other program has. */
const ownSettings = {
  KINORA_ANIMATIC_HOST: setting({
    read: text,
    fallback: '127.0.0.1',
    example: '127.0.0.1',
    doc: 'Address the built-in engine listens on.',
  }),
  KINORA_ANIMATIC_PORT: setting({
    read: integer(0, 65535),
    fallback: 8090,
    example: '8090',
    doc: 'Port the built-in engine listens on.',
  }),
  KINORA_ANIMATIC_NAMES: setting<readonly string[]>({
    read: list(text),
    fallback: [],
    example: '',
    doc: 'Host names under which the built-in engine is reached, comma-separated. Addresses and localhost always work; other Host headers are refused.',
  }),
  KINORA_ANIMATIC_SLOTS: setting({
    read: integer(1, 64),
    fallback: Math.max(1, Math.floor(availableParallelism() / 2)),
    defaultWords: 'one per two cores',
    example: '2',
    doc: 'How many videos the built-in engine renders at once; by default one per two cores.',
  }),
} as const;

/** Settings that the server has too, under the same names, so that one environment can serve both programs. */
const sharedSettings = {
  KINORA_LOG_LEVEL: setting({
    read: logLevel,
    fallback: 'info' as const,
    example: 'info',
    doc: 'Least severe level that is logged.',
  }),
  KINORA_SCRATCH_FOLDER: setting({
    read: text,
    fallback: join(tmpdir(), `kinora-${process.getuid?.()}`),
    example: '/var/tmp/kinora',
    doc: 'Folder for temporary files. It needs a few GB and is emptied automatically.',
  }),
  KINORA_MINIMUM_ISOLATION: setting<Isolation>({
    read: oneOf(...isolations),
    fallback: 'confined',
    example: 'confined',
    doc: 'The least isolation of child processes: limits, confined or namespaces.',
  }),
} as const;

const settings = { ...ownSettings, ...sharedSettings } as const;

export type AnimaticConfig = Settings<typeof settings>;

/** The server's setting for the address of this program. */
const serverSetting = 'KINORA_ANIMATIC_URL';

/** Reads the environment. Ignores the server's settings; throws if there is an unknown KINORA_ANIMATIC_ setting. */
export function readAnimaticConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): AnimaticConfig {
  return readSettings(settings, {
    environment,
    isOurs: (name) => name.startsWith('KINORA_ANIMATIC_') && name !== serverSetting,
  });
}

/** Renders the animatic's part of `.env.example`; settings that it shares with the server are in the server's part. */
export function renderAnimaticExample(): string {
  return renderExample(ownSettings);
}

/** Renders the animatic's part of docs/operations/configuration.md, without the settings that it shares. */
export function renderAnimaticSettings(): string {
  return renderSettingsTable(ownSettings);
}
