import { hostname } from 'node:os';

/** The name by which Temporal knows a worker, and writes into histories. */
export function workerIdentity(version: string, processId: string): string {
  return `kinora/${version} ${processId} ${process.pid}@${hostname()}`;
}

/** Returns the id of the process that has this name; an empty text if none of ours has. */
export function processIn(identity: string): string {
  return identity.split(' ')[1] ?? '';
}

/** Returns the version of the worker that an event of a history names. */
export function versionIn(identity: string): string {
  return /^kinora\/(\S+) /.exec(identity)?.[1] ?? 'unknown';
}
