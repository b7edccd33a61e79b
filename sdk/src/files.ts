import type { DeletedFile, File as UploadedFile } from './generated/types.ts';
import type { Http, RequestOptions } from './http.ts';
import { type ImageBytes, uploadImage } from './image-source.ts';
import type { ResponsePromise } from './response-promise.ts';

/** Uploads images for image-to-video requests. */
export interface Files {
  /** Uploads an image. Its id works as `image` in any number of creates for 24 hours. */
  upload(image: ImageBytes, options?: RequestOptions): ResponsePromise<UploadedFile>;
  /** Returns an uploaded file: its format, size and when it expires. */
  get(fileId: string, options?: RequestOptions): ResponsePromise<UploadedFile>;
  /** Deletes an uploaded file. Tasks that were created with it keep their image. */
  delete(fileId: string, options?: RequestOptions): ResponsePromise<DeletedFile>;
}

/** Creates the `files` part of a client. */
export function createFiles(http: Http): Files {
  const path = '/v1/files';
  return {
    upload: (image, options = {}) => uploadImage(http, image, options),
    get: (fileId, options) => http.json<UploadedFile>({ ...options, method: 'GET', path: [path, fileId] }),
    delete: (fileId, options) => http.json<DeletedFile>({ ...options, method: 'DELETE', path: [path, fileId] }),
  };
}
