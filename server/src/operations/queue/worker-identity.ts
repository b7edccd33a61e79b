import { hostname } from 'node:os';

/** The name by which Temporal knows a worker, and writes into histories. */
export function workerIdentity(version: string, processId: string): string {
  return `kinora/${version} ${processId} ${process.pid}@${hostname()}`;
}

/** Returns whether this is the name of a worker of that process. */
export function isIdentityOf(processId: string, identity: string): boolean {
  return identity.split(' ')[1] === processId;
}

/** Returns the version of the worker that an event of a history names. */
export function versionIn(identity: string): string {
  return /^kinora\/(\S+) /.exec(identity)?.[1] ?? 'unknown';
}
