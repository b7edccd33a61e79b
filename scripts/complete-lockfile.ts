import { readFile } from 'node:fs/promises';

interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

/**
 * Returns the lockfile with an entry for every optional package that it names. Native tools have one optional package
 * per platform, and npm leaves out those that a registry mirror does not have; then `npm ci` refuses the whole
 * lockfile. An entry that names the platform is enough, because packages of other platforms are never downloaded.
 */
export async function renderLockfile(): Promise<string> {
  const lockfile = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const { packages } = lockfile;
  for (const { dev, optionalDependencies = {} } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      packages[`node_modules/${name}`] ??= { version, ...(dev ? { dev } : {}), optional: true, ...platformOf(name) };
    }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
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
