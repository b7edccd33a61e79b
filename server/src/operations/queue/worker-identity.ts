import { hostname } from 'node:os';

/** The name by which Temporal knows a worker, and writes into histories. */
export function workerIdentity(version: string): string {
  return `kinora/${version} ${process.pid}@${hostname()}`;
}

/** Returns the version of the worker that an event of a history names. */
export function versionIn(identity: string): string {
  return /^kinora\/(\S+) /.exec(identity)?.[1] ?? 'unknown';
}
