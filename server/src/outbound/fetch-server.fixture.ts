import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { OutboundRefused } from '../errors.ts';
import { classifyAddress, parseAddress } from './classify-address.ts';
import { createGuardedFetcher, type GuardedFetcher } from './guarded-fetch.ts';
import type { OutboundPolicy } from './outbound-policy.ts';

/**
 * The guarded fetcher and the classifier behind HTTP, for proofs, which never import the server:
 * `node fetch-server.fixture.ts PORT ALLOWED_PORTS` on loopback. POST /fetch fetches as a URL that an engine returned is fetched;
 * POST /classify takes an address a line and answers a letter for each: p(ublic), f(orbidden), or ? for no address.
 */
const [port, portList = ''] = process.argv.slice(2);
const allowedPorts = portList.split(',').map(Number);
const policies = {
  strict: { allowHttp: false, allowedPorts: [], allowedNetworks: [] },
  relaxed: { allowHttp: true, allowedPorts, allowedNetworks: [] },
  // Everything is let through: what a canary must notice, or it notices nothing.
  open: { allowHttp: true, allowedPorts, allowedNetworks: ['0.0.0.0/0', '::/0'] },
} as const satisfies Record<string, OutboundPolicy>;

type PolicyName = keyof typeof policies;

const engineOutput = { maxBytes: 64 * 1024 * 1024, timeoutMilliseconds: 10_000, maxRedirects: 3 };

const fetchers = new Map<string, GuardedFetcher>(
  Object.entries(policies).map(([name, policy]) => [name, createGuardedFetcher(policy)]),
);

// Never closed by us: a proof that asks at that moment would take it for an answer.
createServer({ keepAliveTimeout: 0 }, (request, response) => {
  void text(request)
    .then((body) => (request.url === '/classify' ? classifyLines(body) : fetchOne(body)))
    .then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('the fetcher listens\n'));

async function fetchOne(body: string): Promise<string> {
  const { url, policy } = JSON.parse(body) as { url: string; policy: PolicyName };
  const fetcher = fetchers.get(policy);
  if (!fetcher) throw new Error(`there is no policy ${policy}`);
  try {
    const { status, body: bytes } = await fetcher.fetch(url, engineOutput);
    return JSON.stringify({ status, sizeBytes: bytes.length });
  } catch (error) {
    if (error instanceof OutboundRefused) return JSON.stringify({ refused: error.reason });
    throw error;
  }
}

function classifyLines(body: string): string {
  return body
    .split('\n')
    .map((line) => {
      const bytes = parseAddress(line);
      return bytes ? classifyAddress(bytes).slice(0, 1) : '?';
    })
    .join('');
}
