import type { StoredFile } from '../../db/tasks/file-table.ts';
import type { PublicFile } from '../schemas/file-schema.ts';

/** Returns a file as callers see it. No other function exposes a file to callers. */
export function presentFile(file: StoredFile): PublicFile {
  return {
    id: file.id,
    object: 'file',
    filename: file.name,
    content_type: file.contentType,
    bytes: file.sizeBytes,
    size_bytes: file.sizeBytes,
    sha256: file.sha256,
    width: file.width,
    height: file.height,
    created_at: Math.floor(file.createdAt.getTime() / 1000),
    expires_at: Math.floor(file.expiresAt.getTime() / 1000),
  };
}
