import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Credentials, storeCredentials } from '../credentials.ts';
import { UsageError } from '../exit-codes.ts';
import { openQuestions } from '../terminal/ask-lines.ts';

/** Adds `kinora login`, which stores an address and a key for later commands once the service has accepted the key. */
export function addLogin(program: Command, context: () => Context): void {
  program
    .command('login')
    .description('keep the address of a service and a key of it; the key is asked for, or read from a pipe')
    .argument('[address]', 'such as https://kinora.example.com')
    .action((address: string | undefined) => login(context(), address));
}

async function login({ print, remark }: Context, address: string | undefined): Promise<void> {
  const credentials = await askCredentials(address);
  const { baseUrl } = credentials;
  if (isUnencrypted(baseUrl)) remark(`${baseUrl} is not https: anyone on the network path can read the key.`);
  await checkKey(credentials);
  const path = await storeCredentials(process.env, credentials);
  print(`Signed in. The key is stored in ${path}.`, { credentials: path, base_url: baseUrl });
  for (const name of ['KINORA_BASE_URL', 'KINORA_API_KEY']) {
    if (process.env[name]) remark(`${name} is set here and takes precedence over the stored key.`);
  }
}

async function askCredentials(address: string | undefined): Promise<Credentials> {
  const questions = openQuestions();
  try {
    const baseUrl = (address ?? (await questions.ask('Address of the service: ', 'shown'))).replace(/\/+$/, '');
    if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(`"${baseUrl}" is no address: it looks like https://kinora.example.com.`);
    }
    const apiKey = await questions.ask('Key: ', 'hidden');
    // A text that is not a key may be a password. It is not sent and not shown.
    if (!/^kin_(live|test)_[A-Za-z0-9]+$/.test(apiKey)) {
      throw new UsageError('That is no key: keys start with kin_live_ or kin_test_. Nothing was kept.');
    }
    return { baseUrl, apiKey };
  } finally {
    questions.close();
  }
}

/** Checks the key with one request. A valid key that lacks the scope for this request passes. */
async function checkKey(credentials: Credentials): Promise<void> {
  const { Kinora, KinoraError } = await import('@kinora/sdk');
  try {
    await new Kinora({ ...credentials, maxRetries: 1 }).limits.get();
  } catch (error) {
    if (!(error instanceof KinoraError) || error.code !== 'insufficient_scope') throw error;
  }
}

function isUnencrypted(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}
