import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SettingsError } from '@kinora/settings/read-settings';
import { builtInCatalogue, type Catalogue } from '../../domain/catalogue.ts';
import { animatic } from '../../domain/model.ts';
import type { Log } from '../../telemetry/log.ts';
import type { EndpointDescription } from '../create-engine.ts';
import type { ModelsFile, ModelsFileError } from './models-file.ts';

const checkEveryMilliseconds = 2_000;

interface Options {
  /** The models file; null if the built-in engine serves everything. */
  path: string | null;
  tokens: Readonly<Record<string, string>>;
  animaticUrl: string;
  log: Log;
}

/** The models and endpoints that the operator has configured, at this moment. */
interface Installation {
  catalogue: Catalogue;
  endpoints: readonly EndpointDescription[];
  /** Differs between processes if their files differ. */
  fingerprint: string;
}

/** The models file as it was last valid: problems at the start end the process, later ones are only logged. */
export interface CatalogueSource {
  /** Reads the file. Throws a SettingsError that names all its problems. */
  open(): Promise<void>;
  /** May be called after `open`. */
  current(): Installation;
  /** Calls the listener after every change, until the returned function is called. */
  onChanged(listener: () => void): () => void;
  /** Checks the file every two seconds from now on. */
  watch(): void;
  /** Checks the file now. A change counts once two checks in a row have found it the same: it may be half written. */
  check(): void;
  close(): void;
}

export function createCatalogueSource({ path, tokens, animaticUrl, log }: Options): CatalogueSource {
  const builtIn = { engine: 'animatic', id: animatic.pool, pool: animatic.pool, url: animaticUrl } as const;
  const always: EndpointDescription = { ...builtIn, token: null, slots: 1 };
  const listeners = new Set<() => void>();
  let installation: Installation | null = null;
  let parse: ((text: string, readNamedFile: (name: string) => string) => ModelsFile) | null = null;
  let namedFiles: readonly string[] = [];
  let taken = '';
  let seen = '';
  /** The problems that were logged last; null if the file is valid. */
  let loggedProblems: string | null = null;
  let timer: NodeJS.Timeout | null = null;

  const load = (): Installation => {
    if (path === null || parse === null)
      return { catalogue: builtInCatalogue, endpoints: [always], fingerprint: 'built-in' };
    const hash = createHash('sha256');
    const hashed = (text: string): string => {
      hash.update(text);
      return text;
    };
    const readNamedFile = (name: string) => hashed(readFileSync(resolve(dirname(path), name), 'utf8'));
    const file = parse(hashed(readModelsFile(path)), readNamedFile);
    namedFiles = file.namedFiles.map((name) => resolve(dirname(path), name));
    return { catalogue: file.catalogue, endpoints: [always, ...file.endpoints], fingerprint: hash.digest('hex') };
  };
  const signature = () => (path === null ? '' : [path, ...namedFiles].map(signatureOf).join(' '));

  const open = async (): Promise<void> => {
    if (path !== null) {
      // Loaded only if there is a file: most commands do not need it.
      const { parseModelsFile } = await import('./models-file.ts');
      parse = (text, readNamedFile) => parseModelsFile(text, { tokens, readNamedFile });
    }
    taken = signature(); // before the file is read, so that a change during the read is noticed
    try {
      installation = load();
    } catch (error) {
      throw new SettingsError(problemsOf(error).map((problem) => `${basename(path ?? '')} ${problem}`));
    }
  };

  const current = (): Installation => {
    if (!installation) throw new TypeError('the models file was not opened');
    return installation;
  };

  const check = (): void => {
    const before = current();
    const now = signature();
    if (now !== seen) {
      seen = now;
      return;
    }
    // A file with problems is read again: a file that it names may exist now.
    if (now === taken && loggedProblems === null) return;
    taken = now;
    try {
      const after = load();
      if (loggedProblems !== null) log.info({ event: 'models_file.recovered', path }, 'models file valid again');
      loggedProblems = null;
      if (isDeepStrictEqual(bare(after), bare(before))) {
        installation = { ...before, fingerprint: after.fingerprint }; // only a comment differs
        return;
      }
      installation = { ...after, catalogue: withRetired(after.catalogue, before.catalogue) };
    } catch (error) {
      const problems = problemsOf(error);
      const isNew = loggedProblems !== problems.join('\n');
      loggedProblems = problems.join('\n');
      if (isNew) log.error({ event: 'models_file.rejected', path, problems }, 'models file rejected');
      return;
    }
    log.info({ event: 'models_file.loaded', ...changesBetween(before, installation) }, 'models file loaded');
    for (const listener of listeners) listener();
  };

  return {
    open,
    current,
    check,
    onChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch: () => {
      if (path !== null) timer ??= setInterval(check, checkEveryMilliseconds).unref();
    },
    close: () => {
      if (timer) clearInterval(timer);
    },
  };
}

function readModelsFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: check KINORA_MODELS_FILE, which says ${path}`, { cause: error });
  }
}

function problemsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  return 'problems' in error ? (error as ModelsFileError).problems : [error.message]; // no other error has them
}

function signatureOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch {
    return 'none';
  }
}

function bare({ catalogue, endpoints }: Installation) {
  return { models: catalogue.models, endpoints };
}

function withRetired({ models }: Catalogue, before: Catalogue): Catalogue {
  const former = [...before.models, ...(before.retired ?? [])];
  return { models, retired: former.filter(({ id }) => !models.some((model) => model.id === id)) };
}

/** Returns only ids, because the description of an endpoint holds its token. */
function changesBetween(before: Installation, after: Installation) {
  return {
    models: idChanges(before.catalogue.models, after.catalogue.models),
    endpoints: idChanges(before.endpoints, after.endpoints),
  };
}

function idChanges<Item extends { id: string }>(before: readonly Item[], after: readonly Item[]) {
  const found = (items: readonly Item[], id: string) => items.find((item) => item.id === id);
  return {
    added: after.filter(({ id }) => !found(before, id)).map(({ id }) => id),
    removed: before.filter(({ id }) => !found(after, id)).map(({ id }) => id),
    changed: after
      .filter((item) => found(before, item.id) && !isDeepStrictEqual(item, found(before, item.id)))
      .map(({ id }) => id),
  };
}
