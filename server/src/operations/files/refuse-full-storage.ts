import type { StorageUse } from '../../domain/caller.ts';
import { AppError } from '../../errors.ts';
import { fileLifetimeHours } from './find-file.ts';

/** Refuses to store more bytes for a project that has reached its limit, or would exceed it. */
export function refuseFullStorage({ usedBytes, limitBytes }: StorageUse, addedBytes: number): void {
  if (usedBytes < limitBytes && usedBytes + addedBytes <= limitBytes) return;
  throw new AppError('storage_limit_reached', {
    retryAfterSeconds: 60,
    message:
      `Storage limit reached (${inWords(usedBytes)} of ${inWords(limitBytes)} used). Delete tasks (DELETE ` +
      '/v1/videos/{task_id}) or uploaded files (DELETE /v1/files/{file_id}), or wait until some expire.',
  });
}

/** Refuses one more uploaded file for a project that has reached its limit of files, or whose storage is full. */
export function refuseFullUploads(use: StorageUse, addedBytes: number): void {
  refuseFullStorage(use, addedBytes);
  if (use.files < use.filesLimit) return;
  throw new AppError('storage_limit_reached', {
    retryAfterSeconds: 60,
    message:
      `Uploaded file limit reached (${use.filesLimit}). Delete some (DELETE /v1/files/{file_id}), or wait until some ` +
      `expire: files are kept for ${fileLifetimeHours} hours.`,
  });
}

function inWords(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
