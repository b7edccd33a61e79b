import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createConcurrencyLimit, NoPermit } from '../../domain/concurrency-limit.ts';
import { limits } from '../../domain/limits.ts';
import { random } from '../../domain/random.ts';
import { AppError } from '../../errors.ts';

/** Hashes and checks passwords. Each takes about a fifth of a second and 64 MiB, so few run at once. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Returns whether a password is right. Without a hash it takes as long and is never right. */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
}

/** RFC 9106's choice for servers without much memory, with one lane because a core has other work. */
const cost = { memory: 65_536, passes: 3, parallelism: 1 };
const tagLength = 32;

const run = promisify(argon2);

/** Creates the one place of a process that runs argon2. */
export function createPasswords(): Passwords {
  const permits = createConcurrencyLimit(limits.passwords);
  const derive = async (password: string, nonce: Buffer, parameters: typeof cost): Promise<Buffer> => {
    const release = await permits.acquire('passwords').catch((error: unknown) => {
      // Strangers fill the queue, so a person who is turned away has used up no limit of their own.
      throw error instanceof NoPermit
        ? new AppError('overloaded', { retryAfterSeconds: limits.passwords.retryAfterSeconds, cause: error })
        : error;
    });
    try {
      // Keyboards differ in how they compose the same characters.
      return await run('argon2id', { ...parameters, message: password.normalize('NFKC'), nonce, tagLength });
    } finally {
      release();
    }
  };
  return {
    async hash(password) {
      const nonce = random.bytes(16);
      return render(nonce, await derive(password, nonce, cost));
    },
    async verify(passwordHash, password) {
      const { nonce, tag, parameters } = passwordHash === null ? nobodys : parse(passwordHash);
      const isEqual = timingSafeEqual(await derive(password, nonce, parameters), tag);
      return passwordHash !== null && isEqual;
    },
  };
}

const nobodys = { nonce: Buffer.alloc(16), tag: Buffer.alloc(tagLength), parameters: cost };

/** Writes a hash in the text form that all implementations of argon2 share. */
function render(nonce: Buffer, tag: Buffer): string {
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${hash}`;
}

function parse(text: string): typeof nobodys {
  const [, memory, passes, parallelism, salt = '', hash = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]{43})$/.exec(text) ?? [];
  if (memory === undefined) throw new TypeError('the stored hash of a password is malformed');
  return {
    nonce: Buffer.from(salt, 'base64'),
    tag: Buffer.from(hash, 'base64'),
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  };
}
