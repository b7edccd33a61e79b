import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = (...words: string[]) => run('ip', words);

/** A namespace that plays a Docker host: a bridge joins one per service, apart from this machine. Needs root. */
export class ContainerNetwork {
  readonly host: string;
  readonly #addresses = new Map<string, string>();

  private constructor(host: string) {
    this.host = host;
  }

  static async create(): Promise<ContainerNetwork> {
    await deleteAbandoned();
    const host = `kinora-${process.pid}`;
    await ip('netns', 'add', host);
    await ip('-n', host, 'link', 'set', 'lo', 'up');
    await ip('-n', host, 'link', 'add', 'br0', 'type', 'bridge');
    await ip('-n', host, 'addr', 'add', '10.89.0.1/24', 'dev', 'br0');
    await ip('-n', host, 'link', 'set', 'br0', 'up');
    return new ContainerNetwork(host);
  }

  namespaceOf(service: string): string {
    return `${this.host}-${service}`;
  }

  addressOf(service: string): string {
    return this.#addresses.get(service) ?? '127.0.0.1';
  }

  /** Gives a service a namespace and an address, once. A service that is not `connected` has loopback only. */
  async add(service: string, isConnected: boolean): Promise<void> {
    if (this.#addresses.has(service)) return;
    const number = this.#addresses.size + 10;
    const address = `10.89.0.${number}`;
    this.#addresses.set(service, address);
    const namespace = this.namespaceOf(service);
    await ip('netns', 'add', namespace);
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    if (!isConnected) return;
    await ip('-n', this.host, 'link', 'add', `v${number}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    await ip('-n', this.host, 'link', 'set', `v${number}`, 'master', 'br0', 'up');
    await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
  }

  async close(): Promise<void> {
    const namespaces = Array.from(this.#addresses.keys(), (service) => this.namespaceOf(service));
    await Promise.allSettled([...namespaces, this.host].map((name) => ip('netns', 'delete', name)));
  }
}

/** Deletes what a run left behind that was killed. */
async function deleteAbandoned(): Promise<void> {
  const { stdout } = await ip('netns', 'list');
  for (const [name, pid] of stdout.matchAll(/^kinora-(\d+)(?:-[a-z-]+)?/gm))
    if (!existsSync(`/proc/${pid}`)) await ip('netns', 'delete', name);
}
