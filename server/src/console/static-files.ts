import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

/** A file as a browser gets it. */
interface StaticFile {
  contentType: string;
  /** Whether the name contains a hash of the content, so that browsers may keep the file for a year. */
  isImmutable: boolean;
  /** Whether the bytes depend on the encodings that the browser accepts. */
  isCompressible: boolean;
  /** Returns the bytes and how they are encoded. */
  read(acceptEncoding: string): Promise<{ bytes: Buffer; encoding: Encoding | null }>;
}

/** The files of the console in memory. */
export interface StaticFiles {
  /** Returns the file at a path, or the page for any other path; null for a file of another version of the console. */
  find(path: string): StaticFile | null;
}

/** Vite writes files whose names contain a hash into this folder, and no others. */
const hashedFolder = '/assets/';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const pageIfNotBuilt = `<!doctype html>
<html lang="en">
<title>Kinora console</title>
<p>The console is not built. Run <code>npm run build --workspace console</code> and start the server again.</p>
`;

/** Reads the built console. If it is not built, every path is a page that says how to build it. */
export async function readStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, StaticFile]> => {
        const name = `/${relative(folder, path).split(sep).join('/')}`;
        return [name, staticFile(name, await readFile(path))];
      }),
    ),
  );
  const page = files.get('/index.html') ?? staticFile('/index.html', Buffer.from(pageIfNotBuilt));
  return { find: (path) => files.get(path) ?? (path.startsWith(hashedFolder) ? null : page) };
}

function staticFile(name: string, bytes: Buffer): StaticFile {
  const contentType = contentTypes[extname(name)] ?? 'application/octet-stream';
  const isCompressible = contentType.includes('charset');
  /** Compressed when a browser first asks, so that the process starts quickly. */
  const compressed = new Map<Encoding, Promise<Buffer>>();
  return {
    contentType,
    isImmutable: name.startsWith(hashedFolder),
    isCompressible,
    async read(acceptEncoding) {
      const accepted = isCompressible ? encodings.find((encoding) => accepts(acceptEncoding, encoding)) : undefined;
      if (accepted === undefined) return { bytes, encoding: null };
      const ready = compressed.get(accepted) ?? compress(bytes, accepted);
      compressed.set(accepted, ready);
      return { bytes: await ready, encoding: accepted };
    },
  };
}

function accepts(header: string, encoding: Encoding): boolean {
  return header.split(',').some((part) => new RegExp(`^\\s*${encoding}\\s*(;\\s*q=(1|0\\.0*[1-9])|$)`, 'i').test(part));
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  // 9: the best that takes less than 0.1 s for our largest file.
  return encoding === 'br'
    ? brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    : gzipped(bytes, { level: 9 });
}
