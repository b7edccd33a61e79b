import { isLoopbackName } from '@kinora/settings/own-host';
import { weaknessOf } from './weak-secret.ts';

interface GuardedSettings {
  KINORA_PUBLIC_URL: string;
  KINORA_CONSOLE_URL: string;
  /** Undefined if a command does not have it. */
  KINORA_SECRET_KEYS?: readonly string[] | undefined;
  KINORA_PRIVATE_TOKEN: string | null;
  KINORA_S3_SECRET_ACCESS_KEY: string | null;
  KINORA_ENGINE_TOKENS: Readonly<Record<string, string>>;
  KINORA_OPENID_CLIENT_SECRET: string | null;
  KINORA_FAILPOINTS: readonly string[];
}

/**
 * Returns a sentence for each setting that is fit for a trial only. No sentence repeats a value, because most of them are
 * secret.
 */
export function conflictsOfProduction(settings: GuardedSettings): string[] {
  const ours = {
    KINORA_SECRET_KEYS: settings.KINORA_SECRET_KEYS ?? [],
    KINORA_PRIVATE_TOKEN: settings.KINORA_PRIVATE_TOKEN === null ? [] : [settings.KINORA_PRIVATE_TOKEN],
  };
  const problems = Object.entries(ours).flatMap(([name, secrets]) =>
    Array.from(
      new Set(secrets.map(weaknessOf).filter((weakness) => weakness !== null)),
      (weakness) => `${name} is not safe: each key must ${weakness}. \`kinora-server secrets new\` prints one.`,
    ),
  );
  const fromOutside = {
    KINORA_S3_SECRET_ACCESS_KEY: [settings.KINORA_S3_SECRET_ACCESS_KEY ?? ''],
    KINORA_ENGINE_TOKENS: Object.values(settings.KINORA_ENGINE_TOKENS),
    KINORA_OPENID_CLIENT_SECRET: [settings.KINORA_OPENID_CLIENT_SECRET ?? ''],
  };
  for (const [name, secrets] of Object.entries(fromOutside))
    if (secrets.some((secret) => /change.?me/i.test(secret))) problems.push(`${name} is the value of an example.`);
  if (settings.KINORA_FAILPOINTS.length > 0)
    problems.push(
      'KINORA_FAILPOINTS must be empty: failpoints kill the process. Set KINORA_ENV=development to use them.',
    );
  if (!isSafeForLinks(new URL(settings.KINORA_PUBLIC_URL)))
    problems.push(
      'KINORA_PUBLIC_URL must be https, except on loopback: links and keys would cross the network in clear.',
    );
  if (!isSafeForLinks(new URL(settings.KINORA_CONSOLE_URL)))
    problems.push('KINORA_CONSOLE_URL must be https, except on loopback: passwords would cross the network in clear.');
  return problems;
}

function isSafeForLinks({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}
