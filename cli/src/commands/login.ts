import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { type Credentials, profileOf, storeCredentials } from '../credentials.ts';
import { RefusedKeyError, UsageError } from '../exit-codes.ts';
import { helpExamples } from '../help-examples.ts';
import { openQuestions, type Questions } from '../terminal/ask-lines.ts';
import { describeError } from '../terminal/describe-error.ts';

/** Adds `kinora login`, which stores an address and a key for later commands once the service has accepted the key. */
export function addLogin(program: Command, context: () => Context): void {
  program
    .command('login')
    .description('store the address of a service and a key; it asks for the key, or reads it from a pipe')
    .argument('[address]', 'such as https://kinora.example.com')
    .addHelpText(
      'after',
      helpExamples(
        'kinora login https://kinora.example.com',
        'kinora login https://staging.example.com --profile staging',
        'secret-tool lookup service kinora | kinora login https://kinora.example.com',
      ),
    )
    .action((address: string | undefined) => login(context(), address));
}

async function login(context: Context, address: string | undefined): Promise<void> {
  const { print, remark } = context;
  const profile = profileOf(process.env, context.profile);
  const credentials = await askCredentials(context, address);
  const path = await storeCredentials(process.env, credentials, profile);
  const { baseUrl } = credentials;
  print(`Signed in. The key is stored in ${path}.`, { credentials: path, profile, base_url: baseUrl });
  for (const name of ['KINORA_BASE_URL', 'KINORA_API_KEY']) {
    if (process.env[name]) remark(`${name} is set here and takes precedence over the stored key.`);
  }
}

/** Asks until the service accepts the key. A pipe cannot answer again, so there the first wrong key is the end. */
async function askCredentials({ remark }: Context, address: string | undefined): Promise<Credentials> {
  const questions = openQuestions();
  try {
    const baseUrl = (address ?? (await questions.ask('Address of the service: ', 'shown'))).replace(/\/+$/, '');
    if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(`"${baseUrl}" is not a URL. Use one such as https://kinora.example.com.`);
    }
    if (isUnencrypted(baseUrl)) remark(`${baseUrl} is not https: anyone on the network path can read the key.`);
    for (;;) {
      try {
        return await askKey(questions, baseUrl);
      } catch (error) {
        const isWrongKey = error instanceof UsageError || error instanceof RefusedKeyError;
        if (!isWrongKey || !process.stdin.isTTY) throw error;
        remark(`${describeError(error)}\nTry again, or press Ctrl-C to leave.`);
      }
    }
  } finally {
    questions.close();
  }
}

async function askKey(questions: Questions, baseUrl: string): Promise<Credentials> {
  const apiKey = await questions.ask('Key: ', 'hidden');
  // A text that is not a key may be a password. It is not sent and not shown.
  if (!/^kin_(live|test)_[A-Za-z0-9]+$/.test(apiKey)) {
    throw new UsageError('That is not a key: keys start with kin_live_ or kin_test_. Nothing was stored.');
  }
  await checkKey({ baseUrl, apiKey });
  return { baseUrl, apiKey };
}

/** Checks the key with one request. A valid key that lacks the scope for this request passes. */
async function checkKey(credentials: Credentials): Promise<void> {
  const { AuthenticationError, Kinora, KinoraError } = await import('@kinora/sdk');
  try {
    await new Kinora({ ...credentials, maxRetries: 1 }).limits.get();
  } catch (error) {
    if (error instanceof AuthenticationError) throw new RefusedKeyError(error);
    if (!(error instanceof KinoraError) || error.code !== 'insufficient_scope') throw error;
  }
}

function isUnencrypted(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}
