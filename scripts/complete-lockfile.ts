import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface LockedPackage {
  version?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

/** Returns the integrity that a registry states for a package, or null if the registry does not have the package. */
type LookUp = (name: string, version: string) => Promise<string | null>;

/**
 * Returns the lockfile with an entry for every optional package that it names. Native tools have one optional package
 * per platform, and npm leaves out those that a registry mirror does not have; then `npm ci` refuses the whole
 * lockfile. The integrity of an added entry comes from the registry. If a mirror does not have it, the entry stays
 * without, and `complete-lockfile.test.ts` allows that only for platforms on which `npm ci` refuses to run.
 */
export async function renderLockfile(lookUp: LookUp | null = null): Promise<string> {
  const lockfile = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const { packages } = lockfile;
  for (const { dev, optionalDependencies = {} } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      packages[`node_modules/${name}`] ??= { version, ...(dev ? { dev } : {}), optional: true, ...platformOf(name) };
    }
  }
  // One after another over one connection: 80 connections at once took longer, because most had to try again.
  if (lookUp) for (const path of withoutIntegrity(packages)) await addIntegrity(packages, path, lookUp);
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
}

/** Returns the paths of the entries that `npm ci` would download without a check. Our own packages are not downloaded. */
export function withoutIntegrity(packages: Record<string, LockedPackage>): string[] {
  return Object.keys(packages).filter(
    (path) => path.includes('node_modules/') && !packages[path]?.link && !packages[path]?.integrity,
  );
}

async function addIntegrity(packages: Record<string, LockedPackage>, path: string, lookUp: LookUp): Promise<void> {
  const { version = '', ...rest } = packages[path] ?? {};
  const integrity = await lookUp(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version);
  if (integrity) packages[path] = { version, integrity, ...rest }; // npm's order of the fields
}

/** Makes a look-up in the registry that npm uses. If it does not respond within 30 s in all, it has no packages. */
export async function createRegistryLookUp(): Promise<LookUp> {
  const registry = (await promisify(execFile)('npm', ['config', 'get', 'registry'])).stdout.trim().replace(/\/$/, '');
  // oxlint-disable-next-line kinora/no-time-judgement -- a service on the internet, without which nothing is added
  const signal = AbortSignal.timeout(30_000);
  return async (name, version) => {
    try {
      const response = await fetch(`${registry}/${name.replace('/', '%2f')}/${version}`, { signal });
      const text = await response.text(); // read in any case: only then is the connection used again
      if (!response.ok) return null;
      const { dist } = JSON.parse(text) as { dist?: { integrity?: string } };
      return dist?.integrity ?? null;
    } catch {
      return null;
    }
  };
}

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm64', 'ia32', 'riscv64', 'ppc64', 's390x', 'wasm32', 'x64', 'arm'];

/** Reads the platform from the package's name, such as `binding-linux-x64-musl`. */
function platformOf(name: string): Pick<LockedPackage, 'cpu' | 'os' | 'libc'> {
  const os = systems.find((system) => name.includes(system));
  const cpu = processors.find((processor) => name.includes(processor));
  if (!os && !cpu)
    throw new Error(`${name} is not in the lockfile, and its name does not say which platform it is for`);
  return {
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(os ? { os: [os] } : {}),
    ...(name.includes('musl') ? { libc: ['musl'] } : {}),
  };
}
