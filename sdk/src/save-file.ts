import { ConnectionError, KinoraError } from './errors.ts';
import { pause, type RequestOptions, retryPause } from './http.ts';

/** Options of `videos.download`. */
export interface DownloadOptions extends RequestOptions {
  /** The file to download. Default: `video`. */
  variant?: 'video' | 'thumbnail' | 'spritesheet' | undefined;
}

/** Options of `videos.save`. */
export interface SaveOptions extends DownloadOptions {
  /** Whether a file that already exists at this path is replaced. Default: true. */
  overwrite?: boolean | undefined;
  /** Called whenever more bytes were saved. A download that broke off starts again at 0. */
  onProgress?: ((progress: SaveProgress) => void) | undefined;
}

/** How much of a file has been saved. */
export interface SaveProgress {
  savedBytes: number;
  /** Null if the service did not say how long the file is. */
  totalBytes: number | null;
}

/** A file that was saved. */
export interface SavedFile {
  path: string;
  sizeBytes: number;
}

/** The functions of Node's file system that are used here. The package has no types of Node: it runs in browsers. */
interface FileSystem {
  open(path: string, flags: 'wx'): Promise<OpenFile>;
  link(from: string, to: string): Promise<void>;
  lstat(path: string): Promise<unknown>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: true }): Promise<void>;
}

interface OpenFile {
  write(bytes: Uint8Array, offset: number): Promise<{ bytesWritten: number }>;
  close(): Promise<void>;
}

/** A variable instead of a literal, so that bundlers for browsers do not look for the module. */
const fileSystemModule: string = 'node:fs/promises';

/** Downloads into a temporary file beside `path` and renames it, so that the file is complete or does not exist. */
export async function saveFile(
  download: (options: DownloadOptions) => Promise<Response>,
  path: string,
  { onProgress, overwrite = true, ...options }: SaveOptions,
  maxRetries: number,
): Promise<SavedFile> {
  const fileSystem = await loadFileSystem();
  if (typeof path !== 'string' || path === '') throw new KinoraError('path must name a file.');
  const part = `${path}.${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}.part`;
  const checkPath = async () => {
    const exists = !overwrite && (await fileSystem.lstat(path).catch(() => null)) !== null;
    if (exists) throw new KinoraError(`${path} already exists. Choose another name, or pass overwrite: true.`);
  };
  const place = async () => {
    // Unlike a rename, a link never replaces a file that was created meanwhile. Some disks cannot link.
    if (!overwrite && (await succeeds(fileSystem.link(part, path)))) return fileSystem.rm(part, { force: true });
    await checkPath();
    await onDisk(path, fileSystem.rename(part, path));
  };
  await checkPath();
  for (let tries = 1; ; tries++) {
    const response = await download(options);
    try {
      const sizeBytes = await writeBody(fileSystem, part, response, onProgress);
      await place();
      return { path, sizeBytes };
    } catch (error) {
      await succeeds(fileSystem.rm(part, { force: true }));
      await response.body?.cancel().catch(() => undefined); // closes the connection if nothing was read
      options.signal?.throwIfAborted();
      // Errors of the disk would only repeat.
      if (!(error instanceof ConnectionError) || tries > (options.maxRetries ?? maxRetries)) throw error;
    }
    await pause(retryPause(tries, null), options.signal);
  }
}

async function loadFileSystem(): Promise<FileSystem> {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ fileSystemModule)) as FileSystem;
  } catch (cause) {
    throw new KinoraError('There is no file system here. Use videos.download and read its response.', { cause });
  }
}

/** Writes the body of a response to a new file and returns its size. */
async function writeBody(
  fileSystem: FileSystem,
  path: string,
  response: Response,
  onProgress: SaveOptions['onProgress'],
): Promise<number> {
  const { headers } = response;
  const length = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  const totalBytes = length === null ? null : Number(length);
  let savedBytes = 0;
  const file = await onDisk(path, fileSystem.open(path, 'wx'));
  try {
    for await (const chunk of chunksOf(response)) {
      for (let at = 0; at < chunk.length; ) at += (await onDisk(path, file.write(chunk, at))).bytesWritten;
      savedBytes += chunk.length;
      onProgress?.({ savedBytes, totalBytes });
    }
  } finally {
    await file.close();
  }
  if (totalBytes !== null && savedBytes !== totalBytes) throw brokenOff();
  return savedBytes;
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* body;
  } catch (cause) {
    throw brokenOff(cause);
  }
}

function brokenOff(cause?: unknown): ConnectionError {
  return new ConnectionError('The download broke off.', { cause, isRetryable: true });
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function onDisk<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KinoraError(`${path} cannot be written: ${reason}`, { cause });
  }
}
