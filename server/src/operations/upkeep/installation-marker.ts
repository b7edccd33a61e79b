import { buffer } from 'node:stream/consumers';
import type { Storage } from '../../storage/storage.ts';

/** The object that names the installation to which a bucket belongs. */
export const installationMarkerKey = '.kinora/installation';

/** Returns the id of the installation that has claimed the bucket, or null if none has. */
export async function readInstallationMarker(storage: Storage): Promise<string | null> {
  const body = await storage.read(installationMarkerKey);
  return body && String(await buffer(body)).trim();
}

/** Claims a bucket for an installation. */
export async function writeInstallationMarker(storage: Storage, installationId: string): Promise<void> {
  await storage.put(installationMarkerKey, Buffer.from(`${installationId}\n`), 'text/plain');
}
