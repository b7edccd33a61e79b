import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { NoCredentialsError, UsageError } from './exit-codes.ts';

/** Which service, and who we are there. */
export interface Credentials {
  baseUrl: string;
  apiKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ownerOnly = 0o600;

/** The variables win over what `kinora login` kept; both must come from somewhere. */
export async function findCredentials(environment: Environment): Promise<Credentials> {
  const named = { baseUrl: environment['KINORA_BASE_URL'], apiKey: environment['KINORA_API_KEY'] };
  // A key that was copied from a page with "…" in it; no header can carry that.
  if (named.apiKey && !/^[\x21-\x7e]+$/.test(named.apiKey.trim())) {
    throw new NoCredentialsError(
      'KINORA_API_KEY is no key: keys start with kin_live_ or kin_test_, then letters and digits.',
    );
  }
  if (named.baseUrl && named.apiKey) return { baseUrl: named.baseUrl, apiKey: named.apiKey };
  const kept = await readKept(environment);
  const baseUrl = named.baseUrl || kept?.baseUrl;
  const apiKey = named.apiKey || kept?.apiKey;
  if (!baseUrl || !apiKey) {
    throw new NoCredentialsError(
      'Which service, and with which key? Run `kinora login`, or set KINORA_BASE_URL and KINORA_API_KEY.',
    );
  }
  // A key is told to the service that it belongs to, and to no other.
  if (!named.apiKey && withoutSlash(baseUrl) !== withoutSlash(kept?.baseUrl ?? '')) {
    throw new UsageError(
      `KINORA_BASE_URL is ${baseUrl}, but the kept key is of ${kept?.baseUrl}. Set KINORA_API_KEY too, or log in there.`,
    );
  }
  return { baseUrl, apiKey };
}

/** Keeps them for the next commands, readable by their owner alone; hands back where. */
export async function keepCredentials(environment: Environment, credentials: Credentials): Promise<string> {
  const path = credentialsPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A new file in the place of the old one: the key never lies in a file that others could have opened before.
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

async function readKept(environment: Environment): Promise<Partial<Credentials> | null> {
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
    const kept = JSON.parse(text) as Partial<Credentials> | null; // checked here
    if (typeof kept?.baseUrl === 'string' && typeof kept.apiKey === 'string') return kept;
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
