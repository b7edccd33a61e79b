import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BoxLimits, BoxProgram } from './box-limits.ts';

/** How a boxed child is isolated, besides its limits, strongest first. The first one that the kernel allows is used. */
export type BoxIsolation =
  | 'network-namespace' // root: no network, no capabilities
  | 'user-and-network-namespace' // not root: the same, through a user namespace
  | 'no-capabilities' // root in a container that forbids namespaces
  | 'limits-only';

export interface BoxLauncher {
  isolation: BoxIsolation;
  /** Returns the command that starts a program in its box: a chain of execs, so the child's pid is the program's. */
  line(program: BoxProgram, args: readonly string[], limits: BoxLimits): [string, ...string[]];
}

const execute = promisify(execFile);
const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const dropCapabilities = ['--bounding-set=-all', '--inh-caps=-all'];
const isolations: { isolation: BoxIsolation; namespaces: string[]; privileges: string[] }[] = [
  { isolation: 'network-namespace', namespaces: ['--net', '--ipc'], privileges: dropCapabilities },
  {
    isolation: 'user-and-network-namespace',
    namespaces: ['--map-root-user', '--net', '--ipc'],
    privileges: dropCapabilities,
  },
  { isolation: 'no-capabilities', namespaces: [], privileges: dropCapabilities },
  { isolation: 'limits-only', namespaces: [], privileges: [] },
];

/** Finds every program that a box needs, and tries the isolations to find the strongest that works on this machine. */
export async function findLauncher(options: { binFolder?: string | undefined }): Promise<BoxLauncher> {
  const folders = options.binFolder ? [options.binFolder, ...systemFolders] : systemFolders;
  const [ffmpeg, ffprobe, prlimit, setpriv, unshare] = await Promise.all(
    ['ffmpeg', 'ffprobe', 'prlimit', 'setpriv', 'unshare'].map((name) => findProgram(name, folders)),
  );
  if (!ffmpeg || !ffprobe)
    throw new Error('ffmpeg and ffprobe are needed; install ffmpeg or name the folder they are in');
  if (!prlimit || !setpriv || !unshare) throw new Error('prlimit, setpriv and unshare are needed; install util-linux');
  const programs = { ffmpeg, ffprobe, node: process.execPath };

  const wrap = (choice: (typeof isolations)[number], limits: string[], rest: string[]): [string, ...string[]] => {
    const inner = [prlimit, ...limits, '--'] as const;
    // setpriv comes last: a change of credentials, such as a new user namespace, clears the parent-death signal.
    const privileges = [setpriv, ...choice.privileges, '--no-new-privs', '--pdeathsig', 'KILL', '--', ...rest];
    if (choice.namespaces.length === 0) return [...inner, ...privileges];
    return [unshare, ...choice.namespaces, '--', ...inner, ...privileges];
  };

  for (const choice of isolations) {
    const idleNodeBytes = await measureIdleNode(wrap(choice, ['--core=0'], [programs.node, '-p', readDataSize]));
    if (idleNodeBytes === null) continue;
    return {
      isolation: choice.isolation,
      line(program, args, limits) {
        const isNode = program === 'node';
        return wrap(choice, limitArguments(limits, isNode ? idleNodeBytes : null), [
          programs[program],
          ...(isNode ? [`--max-old-space-size=${Math.floor(limits.memoryBytes / 2 ** 20)}`] : []),
          ...args,
        ]);
      },
    };
  }
  throw new Error('cannot start a child process with limits on this machine');
}

function limitArguments(limits: BoxLimits, idleNodeBytes: number | null): string[] {
  // The soft limit sends SIGXCPU, so a CPU timeout can be told from a kill; the hard limit ends a child that ignores
  // the signal.
  const cpuSeconds = Math.ceil(limits.cpuSeconds);
  const memory =
    idleNodeBytes === null
      ? // Libraries take address space but are not data, so the address space gets 1 GiB on top of the data.
        [`--data=${limits.memoryBytes}`, `--as=${limits.memoryBytes + 2 ** 30}`]
      : // V8 reserves far more address space than it uses, so RLIMIT_AS says nothing about the memory in use.
        [`--data=${limits.memoryBytes + idleNodeBytes}`];
  return [
    ...memory,
    `--cpu=${cpuSeconds}:${cpuSeconds + 5}`,
    `--fsize=${limits.fileSizeBytes}`,
    '--core=0',
    '--nofile=256',
  ];
}

/**
 * A script that prints the data size of an idle Node process in kB. The memory limit must include that size, because
 * RLIMIT_DATA counts mapped pages, and V8 maps its code range (512 MB on x64) writable without touching it.
 */
const readDataSize = `require('node:fs').readFileSync('/proc/self/status', 'utf8').match(/VmData:\\s+(\\d+) kB/)[1]`;

async function measureIdleNode([program, ...args]: [string, ...string[]]): Promise<number | null> {
  try {
    const { stdout } = await execute(program, args, { env: {}, cwd: '/', timeout: 10_000, killSignal: 'SIGKILL' });
    return Number.parseInt(stdout, 10) * 1024;
  } catch {
    return null; // the kernel does not allow this isolation
  }
}

async function findProgram(name: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    try {
      const path = await realpath(join(folder, name));
      await access(path, constants.X_OK);
      return path;
    } catch {
      // not in this folder
    }
  }
  return null;
}
