import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { NoCredentialsError, UsageError } from './exit-codes.ts';

/** The address of a service and the key to use there. */
export interface Credentials {
  baseUrl: string;
  apiKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ownerOnly = 0o600;

/** Finds the address and the key. Environment variables win over what `kinora login` stored. */
export async function findCredentials(environment: Environment): Promise<Credentials> {
  const named = { baseUrl: environment['KINORA_BASE_URL'], apiKey: environment['KINORA_API_KEY'] };
  // A key copied from a page may contain "…", which a header cannot carry.
  if (named.apiKey && !/^[\x21-\x7e]+$/.test(named.apiKey.trim())) {
    throw new NoCredentialsError(
      'KINORA_API_KEY is no key: keys start with kin_live_ or kin_test_, then letters and digits.',
    );
  }
  if (named.baseUrl && named.apiKey) return { baseUrl: named.baseUrl, apiKey: named.apiKey };
  const stored = await readStored(environment);
  const baseUrl = named.baseUrl || stored?.baseUrl;
  const apiKey = named.apiKey || stored?.apiKey;
  if (!baseUrl || !apiKey) {
    throw new NoCredentialsError(
      'Which service, and with which key? Run `kinora login`, or set KINORA_BASE_URL and KINORA_API_KEY.',
    );
  }
  // A stored key is sent only to the service that it belongs to.
  if (!named.apiKey && withoutSlash(baseUrl) !== withoutSlash(stored?.baseUrl ?? '')) {
    throw new UsageError(
      `KINORA_BASE_URL is ${baseUrl}, but the kept key is of ${stored?.baseUrl}. Set KINORA_API_KEY too, or log in there.`,
    );
  }
  return { baseUrl, apiKey };
}

/** Stores the credentials for later commands in a file that only its owner can read. Returns its path. */
export async function storeCredentials(environment: Environment, credentials: Credentials): Promise<string> {
  const path = credentialsPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A new file replaces the old one, so that the key is never written to a file that another user has open.
  const fresh = `${path}.${process.pid}.new`;
  try {
    await writeFile(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: ownerOnly, flag: 'wx' });
    await chmod(fresh, ownerOnly);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  return path;
}

async function readStored(environment: Environment): Promise<Partial<Credentials> | null> {
  const path = credentialsPath(environment);
  const advice = 'Run `kinora login` again.';
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new UsageError(`${path} cannot be read. Check who owns it, or set KINORA_BASE_URL and KINORA_API_KEY.`);
  }
  try {
    const stored = JSON.parse(text) as Partial<Credentials> | null; // checked in the next line
    if (typeof stored?.baseUrl === 'string' && typeof stored.apiKey === 'string') return stored;
  } catch {
    throw new UsageError(`${path} is not JSON. ${advice}`);
  }
  throw new UsageError(`${path} does not hold an address and a key. ${advice}`);
}

function credentialsPath(environment: Environment): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return join(folder, 'kinora', 'credentials.json');
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
