import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { readCommandConfig } from '../config/config.ts';
import { parseAddress } from '../domain/ip-address.ts';
import { OutboundRefused } from '../errors.ts';
import { classifyAddress } from '../outbound/classify-address.ts';
import type { GuardedFetcher } from '../outbound/guarded-fetch.ts';
import { wireFetcher } from '../wiring/wire-webhooks.ts';

/** Enough for any image, but not for a large video. */
const limits = { maxBytes: 64 * 1024 * 1024, timeoutMilliseconds: 10_000, maxRedirects: 3 };

export function addOutboundCommands(program: Command): void {
  const outbound = program
    .command('outbound')
    .description('test how the outbound guard treats addresses and URLs of callers');

  outbound
    .command('classify')
    .argument('[addresses...]', 'IP addresses; by default the lines of standard input')
    .description('print whether each address is public or forbidden')
    .action((addresses: string[]) =>
      forEach(addresses, (address) => {
        const bytes = parseAddress(address);
        print(`${address} ${bytes ? classifyAddress(bytes) : 'invalid'}`);
      }),
    );

  outbound
    .command('fetch')
    .argument('[urls...]', 'URLs; by default the lines of standard input, each a JSON string')
    .description(
      'fetch each URL under the outbound settings and print its status and size, or why there is none; exit with 1 in that case',
    )
    .action(async (urls: string[]) => {
      const fetcher = wireFetcher(readCommandConfig());
      try {
        await forEach(
          urls.map((url) => JSON.stringify(url)),
          async (line) => {
            const url = String(JSON.parse(line));
            const outcome = await fetchOnce(fetcher, url);
            if (!('status' in outcome)) process.exitCode = 1;
            print(JSON.stringify({ url, ...outcome }));
          },
        );
      } finally {
        await fetcher.close();
      }
    });
}

async function fetchOnce(fetcher: GuardedFetcher, url: string) {
  try {
    const { status, body } = await fetcher.fetch(url, limits);
    return { status, sizeBytes: body.length };
  } catch (error) {
    if (error instanceof OutboundRefused) return { refused: error.reason };
    return { failed: String(error) };
  }
}

/** Processes the named items, or each line of standard input as soon as it arrives. */
async function forEach(named: readonly string[], work: (item: string) => Promise<void> | void): Promise<void> {
  const running = new Set<Promise<void>>();
  const begin = (item: string): void => {
    const working = work(item);
    if (!working) return;
    running.add(working);
    void working.finally(() => running.delete(working)).catch(() => undefined); // awaited below
  };
  if (named.length > 0) named.forEach(begin);
  else for await (const line of createInterface({ input: process.stdin })) if (line !== '') begin(line);
  await Promise.all(running);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
