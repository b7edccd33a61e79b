import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const buildProgram = join(import.meta.dirname, '../../..', 'deploy', 'images', 'build');

/** An image that was built from deploy/images, unpacked, with the settings that a container engine would read from it. */
export interface ContainerImage {
  /** The files of the image. */
  rootFolder: string;
  entrypoint: string[];
  command: string[];
  environment: Record<string, string>;
  /** User and group as numbers: `10001:10001`. */
  user: string;
  workingFolder: string;
  /** What HEALTHCHECK names: the program and its arguments. */
  healthCommand: string[];
  labels: Record<string, string>;
}

interface Mount {
  folder: string;
  /** The path in the container. */
  at: string;
}

/** The part that is used here of what `buildah inspect` shows. */
interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[] | null;
  Cmd: string[] | null;
  WorkingDir?: string;
  Labels: Record<string, string> | null;
  Healthcheck?: { Test: string[] };
}

/** Returns an image; builds it with deploy/images/build if the cache does not have it. Needs root and scripts/setup images. */
export async function openImage(name: 'server' | 'animatic'): Promise<ContainerImage> {
  // A build takes minutes, and says what it does on stderr.
  const building = run(buildProgram, [name], { maxBuffer: 2 ** 26 });
  building.child.stderr?.pipe(process.stderr, { end: false });
  const folder = (await building).stdout.trim();
  const inspected = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as {
    Docker: { config: ImageConfig };
  };
  const { config } = inspected.Docker;
  const [kind, ...healthCommand] = config.Healthcheck?.Test ?? [];
  if (kind !== 'CMD') throw new Error(`the image ${name} has no health check that runs without a shell`);
  return {
    rootFolder: join(folder, 'root'),
    entrypoint: config.Entrypoint ?? [],
    command: config.Cmd ?? [],
    environment: Object.fromEntries(config.Env.map(splitVariable)),
    user: config.User,
    workingFolder: config.WorkingDir || '/',
    healthCommand,
    labels: config.Labels ?? {},
  };
}

function splitVariable(variable: string): [string, string] {
  const end = variable.indexOf('=');
  return [variable.slice(0, end), variable.slice(end + 1)];
}

/**
 * Starts a container of the image as Docker does with `--read-only --cap-drop ALL --security-opt no-new-privileges` and
 * its default seccomp profile: as the user of the image, in PID, IPC, UTS and mount namespaces of its own, with /tmp and
 * /dev/shm in memory. It has the network of this process, or the one that `ip netns` knows as `networkNamespace`. The
 * files at `readOnly` and `writable` must be accessible to the image's user. Output is piped.
 *
 * `kill` signals the first process of the container, as `docker kill` does; the container ends with this process.
 */
export function startInImage(
  image: ContainerImage,
  options: {
    command?: string[];
    entrypoint?: string[];
    environment: Record<string, string>;
    readOnly?: readonly Mount[];
    writable?: readonly Mount[];
    networkNamespace?: string;
  },
): ChildProcess {
  if (process.getuid?.() !== 0) throw new Error('only root can start a container as another user');
  const { rootFolder } = image;
  const [user, group] = image.user.split(':');
  if (!user || !group) throw new Error(`the user of the image is ${image.user}, not user:group`);
  const mounts = [
    ...(options.readOnly ?? []).map((mount) => ['--ro-bind', mount] as const),
    ...(options.writable ?? []).map((mount) => ['--bind', mount] as const),
  ];
  for (const [, mount] of mounts) makeMountPoint(rootFolder, mount);
  const network =
    options.networkNamespace === undefined ? '' : `nsenter --net=/run/netns/${options.networkNamespace} -- `;
  const [program = '', ...words] = [
    ...`${network}bwrap --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --as-pid-1`.split(' '),
    // setpriv needs these capabilities to become the user of the image and to drop them all, these included.
    ...'--die-with-parent --cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP'.split(' '),
    ...'--seccomp 3 --chdir'.split(' ').concat(image.workingFolder, '--ro-bind', rootFolder, '/'),
    ...'--proc /proc --dev /dev --perms 1777 --tmpfs /dev/shm --perms 1777 --tmpfs /tmp'.split(' '),
    // Names of hosts, as a container engine provides them.
    ...'--ro-bind /etc/hosts /etc/hosts --ro-bind /etc/resolv.conf /etc/resolv.conf'.split(' '),
    ...mounts.flatMap(([kind, { folder, at }]) => [kind, folder, at]),
    ...`-- setpriv --reuid ${user} --regid ${group} --clear-groups --inh-caps=-all --bounding-set=-all --`.split(' '),
    ...(options.entrypoint ?? image.entrypoint),
    ...(options.command ?? image.command),
  ];
  const profile = openSync(join(rootFolder, '..', '..', 'seccomp.bpf'), 'r');
  const child = spawn(program, words, {
    stdio: ['pipe', 'pipe', 'pipe', profile],
    // Nothing of this process's environment.
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/',
      ...image.environment,
      ...options.environment,
    },
  });
  closeSync(profile);
  // bwrap stays in front of the container and does not pass signals on.
  child.kill = (signal = 'SIGTERM') => {
    const [first = child.pid] = childrenOf(child.pid);
    if (first === undefined || child.exitCode !== null || child.signalCode !== null) return false;
    try {
      return process.kill(first, signal);
    } catch {
      return false; // it has ended
    }
  };
  return child;
}

/** The root of the container is read-only, so what is mounted in it needs a place there already. */
function makeMountPoint(rootFolder: string, { folder, at }: Mount): void {
  const path = join(rootFolder, at);
  if (existsSync(path)) return;
  mkdirSync(statSync(folder).isDirectory() ? path : dirname(path), { recursive: true });
  if (!existsSync(path)) closeSync(openSync(path, 'a'));
}

/** Returns the processes that a process has started and that still run. */
export function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
