import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { NoCredentialsError, UsageError } from './exit-codes.ts';

/** The address of a service and the key to use there. */
export interface Credentials {
  baseUrl: string;
  apiKey: string;
}

/** The credentials file: the default profile on the outside, as before there were profiles, and the others by name. */
interface Stored extends Partial<Credentials> {
  profiles?: Record<string, Credentials>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ownerOnly = 0o600;
const defaultProfile = 'default';

/** Returns the profile to use: the one of `--profile`, else of KINORA_PROFILE, else the default one. */
export function profileOf(environment: Environment, named?: string): string {
  const profile = named || environment['KINORA_PROFILE'] || defaultProfile;
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(profile)) {
    throw new UsageError(`"${profile}" cannot be the name of a profile. Use letters, digits, dots, dashes.`);
  }
  return profile;
}

/** Finds the address and the key. The environment wins over what `kinora login` stored, except over `--profile`. */
export async function findCredentials(environment: Environment, named?: string): Promise<Credentials> {
  const profile = profileOf(environment, named);
  if (named) {
    return (await readProfile(environment, profile)) ?? fail(await missingProfile(environment, profile));
  }
  const given = { baseUrl: environment['KINORA_BASE_URL'], apiKey: environment['KINORA_API_KEY'] };
  // A key copied from a page may contain "…", which a header cannot carry.
  if (given.apiKey && !/^[\x21-\x7e]+$/.test(given.apiKey.trim())) {
    throw new NoCredentialsError(
      'KINORA_API_KEY is not a key: keys start with kin_live_ or kin_test_, then letters and digits.',
    );
  }
  if (given.baseUrl && given.apiKey) return { baseUrl: given.baseUrl, apiKey: given.apiKey };
  const stored = await readProfile(environment, profile);
  if (!stored && profile !== defaultProfile) throw await missingProfile(environment, profile);
  const baseUrl = given.baseUrl || stored?.baseUrl;
  const apiKey = given.apiKey || stored?.apiKey;
  if (!baseUrl || !apiKey) {
    throw new NoCredentialsError(
      'No service and key are configured. Run `kinora login`, or set KINORA_BASE_URL and KINORA_API_KEY.',
    );
  }
  // A stored key is sent only to the service that it belongs to.
  if (!given.apiKey && withoutSlash(baseUrl) !== withoutSlash(stored?.baseUrl ?? '')) {
    throw new UsageError(
      `KINORA_BASE_URL is ${baseUrl}, but the stored key is for ${stored?.baseUrl}. Set KINORA_API_KEY too, or log in there.`,
    );
  }
  return { baseUrl, apiKey };
}

/** Stores a profile's credentials in a file that only its owner can read; returns its path. */
export async function storeCredentials(
  environment: Environment,
  credentials: Credentials,
  profile: string = defaultProfile,
): Promise<string> {
  // A broken file is replaced: a new login is how it is repaired.
  const stored = await readStored(environment).catch(() => null);
  const { profiles, ...outside } = stored ?? {};
  const next =
    profile === defaultProfile
      ? { ...credentials, ...(profiles && { profiles }) }
      : { ...outside, profiles: { ...profiles, [profile]: credentials } };
  return writeStored(environment, next);
}

/** Removes the credentials of a profile. Returns the address that they were for, or null if there were none. */
export async function removeCredentials(environment: Environment, profile: string): Promise<string | null> {
  const stored = await readStored(environment);
  const removed = credentialsOf(stored, profile);
  if (!removed) return null;
  const { profiles = {}, ...outside } = stored ?? {};
  const others = Object.fromEntries(Object.entries(profiles).filter(([name]) => name !== profile));
  const next = {
    ...(profile === defaultProfile ? {} : outside),
    ...(Object.keys(others).length > 0 && { profiles: others }),
  };
  if (Object.keys(next).length === 0) await rm(credentialsPath(environment));
  else await writeStored(environment, next);
  return removed.baseUrl;
}

async function writeStored(environment: Environment, stored: Stored): Promise<string> {
  const path = credentialsPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A new file replaces the old one, so that the key is never written to a file that another user has open.
  const fresh = `${path}.${process.pid}.new`;
  try {
    await writeFile(fresh, `${JSON.stringify(stored, null, 2)}\n`, { mode: ownerOnly, flag: 'wx' });
    await chmod(fresh, ownerOnly);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  return path;
}

async function readProfile(environment: Environment, profile: string): Promise<Credentials | null> {
  return credentialsOf(await readStored(environment), profile);
}

async function missingProfile(environment: Environment, profile: string): Promise<NoCredentialsError> {
  const stored = await readStored(environment);
  const names = [
    ...(credentialsOf(stored, defaultProfile) ? [defaultProfile] : []),
    ...Object.keys(stored?.profiles ?? {}),
  ];
  const known = names.length > 0 ? ` Stored profiles: ${names.join(', ')}.` : '';
  return new NoCredentialsError(
    `There is no profile "${profile}". Create it with \`kinora login --profile ${profile}\`.${known}`,
  );
}

function credentialsOf(stored: Stored | null, profile: string): Credentials | null {
  const found = profile === defaultProfile ? stored : new Map(Object.entries(stored?.profiles ?? {})).get(profile);
  return areCredentials(found) ? { baseUrl: found.baseUrl, apiKey: found.apiKey } : null;
}

async function readStored(environment: Environment): Promise<Stored | null> {
  const path = credentialsPath(environment);
  const advice = 'Run `kinora login` again.';
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new UsageError(`${path} cannot be read. Check who owns it, or set KINORA_BASE_URL and KINORA_API_KEY.`);
  }
  let stored: Stored | null;
  try {
    stored = JSON.parse(text) as Stored | null; // checked below
  } catch {
    throw new UsageError(`${path} is not JSON. ${advice}`);
  }
  const profiles = stored?.profiles ?? {};
  const areSound = typeof profiles === 'object' && Object.values(profiles).every(areCredentials);
  const isEmpty = stored?.baseUrl === undefined && stored?.apiKey === undefined;
  if (areSound && (areCredentials(stored) || (isEmpty && Object.keys(profiles).length > 0))) return stored;
  throw new UsageError(`${path} does not contain an address and a key. ${advice}`);
}

function areCredentials(value: Partial<Credentials> | null | undefined): value is Credentials {
  return typeof value?.baseUrl === 'string' && typeof value.apiKey === 'string';
}

function credentialsPath(environment: Environment): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return join(folder, 'kinora', 'credentials.json');
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function fail(error: Error): never {
  throw error;
}
