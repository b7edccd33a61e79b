import { sql } from 'kysely';
import { type IdPrefix, idFromUuid, uuidFromId } from '../../domain/id.ts';

/** Returns the UUID of a public id. Inside the service ids are always well-formed: they are parsed at the edge. */
export function toUuid(prefix: IdPrefix, id: string): string {
  const uuid = uuidFromId(prefix, id);
  if (uuid === null) throw new TypeError(`malformed ${prefix} id`);
  return uuid;
}

/** One parameter: a list of any other length would be another statement, of at most 65,535 parameters. */
export const anyOf = (uuids: readonly string[]) => sql<string>`any(${uuids}::uuid[])`;

export const taskId = (uuid: string): string => idFromUuid('task', uuid);
export const projectId = (uuid: string): string => idFromUuid('proj', uuid);
export const keyId = (uuid: string): string => idFromUuid('key', uuid);
export const eventId = (uuid: string): string => idFromUuid('evt', uuid);
export const fileId = (uuid: string): string => idFromUuid('file', uuid);
export const endpointId = (uuid: string): string => idFromUuid('whk', uuid);
export const auditEventId = (uuid: string): string => idFromUuid('aud', uuid);
export const personId = (uuid: string): string => idFromUuid('person', uuid);
export const sessionId = (uuid: string): string => idFromUuid('sess', uuid);
export const deliveryId = (uuid: string): string => idFromUuid('del', uuid);
