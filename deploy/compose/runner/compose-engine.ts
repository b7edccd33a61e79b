import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ContainerImage, startInImage } from '@kinora/stack/parts/container-image';
import { loadProject, type Project, type Service } from './compose-project.ts';
import { ContainerNetwork } from './container-network.ts';
import { openThirdPartyImage, userNumbers } from './third-party-images.ts';

/** An image, and folders that are mounted in each of its containers. */
export interface EngineImage {
  image: ContainerImage;
  mounts: { folder: string; at: string }[];
}

interface Container {
  config: string;
  process: ChildProcess;
  exitCode: Promise<number>;
}

interface Call {
  words: string[];
  folder: string;
  environment: Record<string, string>;
}

interface Streams {
  stdin: NodeJS.ReadableStream | null;
  stdout: NodeJS.WritableStream;
  say: (text: string) => void;
}

/** How long a service may take until it is healthy. */
const healthyWithinMilliseconds = 120_000;
/** The `timeout` of the files is 5 s; a busy machine gets more. */
const healthCheckMilliseconds = 30_000;
/** The longest `stop_grace_period` of the files. */
const stopMilliseconds = 70_000;

/**
 * Does what `docker compose` does for the commands that the pages and scripts of deploy/compose use, and refuses all others.
 * It does not emulate restarts, limits of logs and memory, and separate networks: all services are on one bridge, but a
 * service knows the names of those only with which it shares a network.
 */
export class ComposeEngine {
  /** What happened, in order, such as "postgres healthy". */
  readonly events: string[] = [];
  readonly #folder: string;
  readonly #network: ContainerNetwork;
  readonly #images: Map<string, EngineImage>;
  readonly #containers = new Map<string, Container>();
  readonly #forwarders = new Map<string, ChildProcess>();
  readonly #server = createServer((request, response) => void this.#respond(request, response));

  private constructor(folder: string, network: ContainerNetwork, images: Map<string, EngineImage>) {
    this.#folder = folder;
    this.#network = network;
    this.#images = images;
  }

  /** Starts an engine that keeps everything in a folder, with the images of Kinora by their references. */
  static async start(folder: string, images: Map<string, EngineImage>): Promise<ComposeEngine> {
    for (const path of ['volumes', 'logs', 'hosts', 'memory', 'images']) mkdirSync(join(folder, path));
    // All containers run under the profile that comes with the images.
    for (const { image } of images.values())
      copyFileSync(join(image.rootFolder, '../../seccomp.bpf'), join(folder, 'images', 'seccomp.bpf'));
    const engine = new ComposeEngine(folder, await ContainerNetwork.create(), images);
    engine.#server.listen(engine.socketPath);
    await once(engine.#server, 'listening');
    return engine;
  }

  get socketPath(): string {
    return join(this.#folder, 'engine.sock');
  }

  /** The network namespace in which callers on the host are. */
  get hostNamespace(): string {
    return this.#network.host;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#stop([...this.#containers.keys()]);
    for (const forwarder of this.#forwarders.values()) forwarder.kill('SIGKILL');
    await this.#network.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = JSON.parse(Buffer.from(String(request.headers['x-call']), 'base64').toString()) as Call;
    const lines: string[] = [];
    response.writeHead(200, { trailer: 'x-exit-code, x-errors' });
    response.flushHeaders();
    const streams: Streams = { stdin: request, stdout: response, say: (text) => void lines.push(text) };
    const exitCode = await this.#run(call, streams).catch((error: unknown) => {
      lines.push(error instanceof Error ? error.message : String(error));
      return 1;
    });
    response.addTrailers({
      'x-exit-code': String(exitCode),
      'x-errors': Buffer.from(lines.join('\n')).toString('base64'),
    });
    response.end();
  }

  async #run({ words, folder, environment }: Call, streams: Streams): Promise<number> {
    const [command = '', ...rest] = words;
    const project = await loadProject(folder, environment);
    for (const [name, { network_mode: mode }] of Object.entries(project.services))
      await this.#network.add(name, mode !== 'none');
    const options = rest.filter((word) => word.startsWith('-'));
    const [first = '', ...others] = rest.slice(rest.findIndex((word) => !word.startsWith('-')));
    // What follows the name of a service belongs to the program in it.
    const own = rest.slice(
      0,
      rest.findIndex((word) => !word.startsWith('-')),
    );
    switch (command) {
      case 'up': {
        allow(options, ['--detach', '--wait', '--no-deps']);
        const names = rest.filter((word) => !word.startsWith('-'));
        await this.#up(project, names, { hasDependencies: !options.includes('--no-deps') });
        return 0;
      }
      case 'stop':
        allow(options, []);
        await this.#stop(rest);
        return 0;
      case 'down':
        allow(options, ['--volumes']);
        await this.#stop([...this.#containers.keys()]);
        this.#containers.clear();
        if (options.includes('--volumes')) rmSync(join(this.#folder, 'volumes'), { recursive: true });
        mkdirSync(join(this.#folder, 'volumes'), { recursive: true });
        return 0;
      // The images were built before.
      case 'build':
      case 'pull':
        allow(options, command === 'pull' ? ['--ignore-buildable'] : []);
        for (const service of Object.values(project.services)) this.#imageOf(service);
        return 0;
      case 'exec': {
        allow(own, ['-T']);
        if (!this.#isRunning(first)) throw new Error(`service "${first}" is not running`);
        return this.#attached(project, first, { entrypoint: [], command: others }, streams);
      }
      case 'run': {
        allow(own, ['--rm', '-T']);
        const needed = Object.keys(serviceOf(project, first).depends_on ?? {});
        if (needed.length > 0) await this.#up(project, needed, { hasDependencies: true });
        return this.#attached(project, first, others.length > 0 ? { command: others } : {}, streams);
      }
      default:
        throw new Error(`the runner does not know docker compose ${command}`);
    }
  }

  /** Starts services and what they depend on, and waits until they are healthy, or have ended well if others wait for that. */
  async #up(
    project: Project,
    names: readonly string[],
    { hasDependencies }: { hasDependencies: boolean },
  ): Promise<void> {
    const all = Object.entries(project.services).filter(([, { profiles }]) => !profiles?.length);
    const chosen = names.length > 0 ? names : all.map(([name]) => name);
    if (names.length === 0 && !hasDependencies) throw new Error('--no-deps needs the name of a service');
    const isOneShot = (name: string) =>
      all.some(([, { depends_on = {} }]) => depends_on[name]?.condition === 'service_completed_successfully');
    const done = new Map<string, Promise<void>>();
    const start = (name: string): Promise<void> => {
      const started = done.get(name) ?? begin(name);
      done.set(name, started);
      return started;
    };
    const begin = async (name: string): Promise<void> => {
      const service = serviceOf(project, name);
      if (hasDependencies) await Promise.all(Object.keys(service.depends_on ?? {}).map(start));
      await this.#begin(project, name);
      if (isOneShot(name)) await this.#untilCompleted(name);
      else await this.#untilHealthy(project, name);
    };
    // All of them, so that none is still starting when this fails.
    const results = await Promise.allSettled(chosen.map(start));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #begin(project: Project, name: string): Promise<void> {
    const service = serviceOf(project, name);
    const config = JSON.stringify(service);
    const existing = this.#containers.get(name);
    if (existing && this.#isRunning(name)) {
      if (existing.config === config) return;
      await this.#stop([name]);
    }
    this.events.push(`${name} started`);
    const child = await this.#startProcess(project, name, {});
    child.stdin?.end();
    const log = createWriteStream(join(this.#folder, 'logs', `${name}.log`), { flags: 'a' });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    this.#containers.set(name, { config, process: child, exitCode: exitCodeOf(child) });
    for (const port of service.ports ?? []) this.#publish(name, port);
  }

  /** Passes connections to a published port on to the service, as Docker's proxy does. */
  #publish(name: string, { host_ip = '0.0.0.0', published, target }: NonNullable<Service['ports']>[number]): void {
    const key = `${host_ip}:${published}`;
    if (this.#forwarders.has(key)) return;
    const program = `const net = require('node:net');
      net.createServer((near) => {
        const far = net.connect(${target}, '${this.#network.addressOf(name)}');
        near.on('error', () => far.destroy()); far.on('error', () => near.destroy());
        near.pipe(far); far.pipe(near);
      }).listen(${published}, '${host_ip}');`;
    // It ends with this process, however that ends.
    const words = ['--pdeathsig', 'KILL', 'nsenter', `--net=/run/netns/${this.#network.host}`, '--'];
    const forwarder = spawn('setpriv', [...words, process.execPath, '--eval', program], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.#forwarders.set(key, forwarder);
  }

  async #untilCompleted(name: string): Promise<void> {
    const exitCode = await this.#containers.get(name)?.exitCode;
    if (exitCode !== 0) throw new Error(`service "${name}" didn't complete successfully: exit ${exitCode}`);
    this.events.push(`${name} completed`);
  }

  async #untilHealthy(project: Project, name: string): Promise<void> {
    const service = serviceOf(project, name);
    const container = this.#containers.get(name);
    const until = Date.now() + healthyWithinMilliseconds;
    const [kind, ...test] = service.healthcheck?.test ?? ['CMD', ...this.#imageOf(service).image.healthCommand];
    if (kind !== 'CMD' || test.length === 0)
      throw new Error(`service "${name}" has no health check that the runner knows`);
    for (;;) {
      if (!this.#isRunning(name)) throw new Error(`container ${name} exited (${await container?.exitCode})`);
      const check = await this.#startProcess(project, name, { entrypoint: [], command: test });
      check.stdin?.end();
      check.stdout?.resume();
      check.stderr?.resume();
      const limit = setTimeout(() => check.kill('SIGKILL'), healthCheckMilliseconds);
      const exitCode = await exitCodeOf(check);
      clearTimeout(limit);
      if (exitCode === 0) break;
      if (Date.now() > until) throw new Error(`container ${name} is unhealthy`);
      await pause(300);
    }
    this.events.push(`${name} healthy`);
  }

  async #stop(names: readonly string[]): Promise<void> {
    const running = names.filter((name) => this.#isRunning(name));
    await Promise.all(
      running.map(async (name) => {
        const container = this.#containers.get(name);
        // Postgres: its image has STOPSIGNAL SIGINT.
        container?.process.kill(name === 'postgres' ? 'SIGINT' : 'SIGTERM');
        const limit = setTimeout(() => container?.process.kill('SIGKILL'), stopMilliseconds);
        await container?.exitCode;
        clearTimeout(limit);
        this.events.push(`${name} stopped`);
      }),
    );
  }

  #isRunning(name: string): boolean {
    const child = this.#containers.get(name)?.process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async #attached(
    project: Project,
    name: string,
    instead: { entrypoint?: string[]; command?: string[] },
    { stdin, stdout, say }: Streams,
  ): Promise<number> {
    const child = await this.#startProcess(project, name, instead);
    child.stderr?.on('data', (data: Buffer) => say(data.toString().trimEnd()));
    child.stdout?.pipe(stdout, { end: false });
    child.stdin?.on('error', () => undefined); // the program ended without reading all of it
    if (child.stdin) stdin?.pipe(child.stdin);
    const exitCode = await exitCodeOf(child);
    return exitCode;
  }

  /** Starts a process with all that the service's containers have, and the service's own command unless another is given. */
  async #startProcess(
    project: Project,
    name: string,
    instead: { entrypoint?: string[]; command?: string[] },
  ): Promise<ChildProcess> {
    const service = serviceOf(project, name);
    const { image, mounts } = this.#imageOf(service);
    await this.#network.add(name, service.network_mode !== 'none');
    if (
      !service.read_only ||
      service.cap_drop?.[0] !== 'ALL' ||
      !service.security_opt?.includes('no-new-privileges:true')
    )
      throw new Error(`service "${name}" is not confined, and the runner confines all services`);
    const user = service.user === undefined ? image.user : userNumbers(service.user);
    const environment = Object.entries(service.environment ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    const binds = service.volumes?.filter(({ type }) => type === 'bind') ?? [];
    const volumes = service.volumes?.filter(({ type }) => type === 'volume') ?? [];
    // /tmp is always there.
    const memory = service.tmpfs?.map((text) => text.split(':')[0] ?? '').filter((path) => path !== '/tmp') ?? [];
    const entrypoint = instead.entrypoint ?? service.entrypoint ?? undefined;
    return startInImage(
      { ...image, user },
      {
        ...(entrypoint && { entrypoint }),
        command: instead.command ?? service.command ?? image.command,
        environment: Object.fromEntries(environment),
        networkNamespace: this.#network.namespaceOf(name),
        readOnly: [
          ...mounts,
          { folder: this.#hostsFile(project, name), at: '/etc/hosts' },
          ...binds.map(({ source, target }) => ({ folder: source, at: target })),
        ],
        writable: [
          ...volumes.map(({ source, target }) => ({
            folder: this.#ownedFolder(`volumes/${source}`, user),
            at: target,
          })),
          ...memory.map((path) => ({
            folder: this.#ownedFolder(`memory/${name}${path.replaceAll('/', '-')}`, user),
            at: path,
          })),
        ],
      },
    );
  }

  /** Makes a folder that belongs to the user of the container, as a new volume does that the image has a folder for. */
  #ownedFolder(path: string, user: string): string {
    const folder = join(this.#folder, path);
    if (!existsSync(folder)) {
      mkdirSync(folder);
      chmodSync(folder, 0o700);
      const [owner = '0', group = '0'] = user.split(':');
      chownSync(folder, Number(owner), Number(group));
    }
    return folder;
  }

  #hostsFile(project: Project, name: string): string {
    const own = Object.keys(project.services[name]?.networks ?? {});
    const lines = Object.entries(project.services)
      .filter(([, { networks }]) => Object.keys(networks ?? {}).some((network) => own.includes(network)))
      .map(([other]) => `${this.#network.addressOf(other)} ${other}`);
    const path = join(this.#folder, 'hosts', name);
    writeFileSync(
      path,
      ['127.0.0.1 localhost', ...lines, `${this.#network.addressOf(name)} ${hostname()}`, ''].join('\n'),
    );
    return path;
  }

  #imageOf({ image: reference }: Service): EngineImage {
    const found = this.#images.get(reference) ?? openThirdPartyImage(reference, join(this.#folder, 'images'));
    if (!found) throw new Error(`pull access denied for ${reference}`);
    this.#images.set(reference, found);
    return found;
  }
}

function serviceOf(project: Project, name: string): Service {
  const service = project.services[name];
  if (!service) throw new Error(`no such service: ${name}`);
  return service;
}

function allow(options: readonly string[], known: readonly string[]): void {
  const unknown = options.find((option) => !known.includes(option));
  if (unknown !== undefined) throw new Error(`the runner does not know the option ${unknown}`);
}

/** Resolves when a process has ended and all its output has been read. */
function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
