import { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { addOutboundCommands } from './outbound-commands.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs the command and returns the lines that it prints, sorted. */
async function outbound(...words: string[]): Promise<string[]> {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const program = new Command();
  addOutboundCommands(program);
  await program.parseAsync(['outbound', ...words], { from: 'user' });
  return written.mock.calls.map(([line]) => String(line).trim()).toSorted();
}

test('outbound classify shows which addresses the guard considers public', async () => {
  expect(await outbound('classify', '1.1.1.1', '::ffff:10.0.0.1', 'localhost')).toEqual([
    '1.1.1.1 public',
    '::ffff:10.0.0.1 forbidden',
    'localhost invalid',
  ]);
});

test('outbound fetch shows why the guard refuses a URL, and exits with 1', async () => {
  vi.stubEnv('KINORA_ENV', 'development');
  for (const name of ['DATABASE_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
    vi.stubEnv(`KINORA_${name}`, 'unused');
  vi.stubEnv('KINORA_S3_ENDPOINT', 'http://127.0.0.1:1');
  expect(await outbound('fetch', 'https://127.0.0.1/', 'http://example.com/')).toEqual([
    '{"url":"http://example.com/","refused":"scheme"}',
    '{"url":"https://127.0.0.1/","refused":"forbidden_address"}',
  ]);
  expect(process.exitCode).toBe(1);
});
