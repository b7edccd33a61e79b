import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { randomFor } from '@kinora/stack/harness/seeded-random';
import { type Case, type Column, columns } from '../../../proofs/addresses/address-case.ts';
import { type Comparison, compareClassifier } from '../../../proofs/addresses/compare-classifier.ts';
import { dynamicCases } from '../../../proofs/addresses/dynamic-cases.ts';
import { allForms } from '../../../proofs/addresses/forms.ts';
import type { Trespass } from '../../../proofs/addresses/internet.ts';
import { legitimateCases } from '../../../proofs/addresses/legitimate-cases.ts';
import { pngBytes } from '../../../proofs/addresses/pages.ts';
import { startWorld } from '../../../proofs/addresses/start-world.ts';
import { staticCases } from '../../../proofs/addresses/static-cases.ts';
import { endingOfImageCode, endingOfReason, type Fate, readRefusal } from '../../../proofs/addresses/submit-url.ts';
import { postWebhook } from '../activities/deliver-activities.ts';
import { imageUrlProblem } from '../api/requests/image-url-problem.ts';
import { receiverUrlProblem } from '../api/requests/receiver-url-problem.ts';
import { systemClock } from '../domain/clock.ts';
import { strayId } from '../domain/id.fixture.ts';
import { parseAddress } from '../domain/ip-address.ts';
import { fetchNamedOutput } from '../engines/fetch-named-output.ts';
import { AppError, OutboundRefused, OutputInvalid } from '../errors.ts';
import type { Images } from '../media/images.ts';
import { storeInputImage } from '../operations/files/store-input-image.ts';
import { classifyAddress } from './classify-address.ts';
import { createGuardedFetcher, type GuardedFetcher } from './guarded-fetch.ts';
import { strictPolicy } from './outbound-policy.fixture.ts';
import type { OutboundPolicy } from './outbound-policy.ts';
import { refusalOfUrl } from './refusal-of-url.ts';

/** What this program prints. `hostile-addresses.test.ts` starts it in a network namespace of its own and judges it. */
export interface HostileAddresses {
  forms: number;
  cases: (Omit<Case, 'wasCarriedOut'> & Fate & { wasCarriedOut: boolean })[];
  trespasses: Trespass[];
  /** The forms that name an address, fetched without the guard, and how many of them the canary noticed. */
  control: { forms: number; noticed: number };
  comparison: Comparison;
}

/** A quarter of what the proof compares each night, with a new seed. */
const comparedAddresses = 250_000;
const concurrency = 32;
/** The first limit of a case that only a time limit ends. It grows until the case was carried out within it. */
const firstLimitMilliseconds = 4_000;

const relaxed: OutboundPolicy = { ...strictPolicy, allowHttp: true, allowedPorts: [8080, 9000] };
/** Without the guard, to show that the canary would notice a connection. */
const open: OutboundPolicy = { ...relaxed, allowedNetworks: ['0.0.0.0/0', '::/0'] };

/** Only the size and the signature count here: what a decoder does with hostile bytes is another suite. */
const images: Pick<Images, 'normalise'> = {
  async normalise(_projectId, bytes) {
    if (!pngBytes.equals(bytes)) throw new AppError('image_undecodable');
    return { bytes, contentType: 'image/png', width: 400, height: 400, sha256: '0'.repeat(64) };
  },
};

/** Calls what the service calls with a URL of each field. */
const submit: Record<Column, (url: string, fetcherOf: (policy: OutboundPolicy) => GuardedFetcher) => Promise<Fate>> = {
  async image_url(url, fetcherOf) {
    const problem = imageUrlProblem(url, relaxed);
    if (problem) return readRefusal(400, { code: problem.error, message: problem.message }, endingOfImageCode, url);
    const parts = { fetcher: fetcherOf(relaxed), images, storage: { put: async () => undefined }, clock: systemClock };
    // It needs the rest only for the id of an uploaded file.
    const dependencies = parts as unknown as Parameters<typeof storeInputImage>[0];
    const caller = { projectId: 'proj_1', livemode: true };
    const input = { caller, request: { imageUrl: url, imageFit: 'crop' as const } };
    try {
      await storeInputImage(dependencies, strayId('task', systemClock.now()), input);
      return { ending: 'fetched', detail: '200' };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return readRefusal(error.status, error, endingOfImageCode, url);
    }
  },
  async callback_url(url, fetcherOf) {
    const problem = receiverUrlProblem(url, 'callback_url', (named) => refusalOfUrl(named, relaxed));
    if (problem) return { ending: 'request', detail: problem.code };
    try {
      const options = { body: '{}', signatures: {}, tryMilliseconds: 20_000 };
      const { status } = await postWebhook(fetcherOf(relaxed), url, options);
      return { ending: status >= 200 && status < 300 ? 'fetched' : 'unreachable', detail: String(status) };
    } catch (error) {
      return fateOfRefusal(error);
    }
  },
  async result_url(url, fetcherOf) {
    // An https URL needs no exception, so the strictest settings must fetch it.
    const fetcher = fetcherOf(url.startsWith('https://') ? strictPolicy : relaxed);
    try {
      await buffer(await fetchNamedOutput({ engine: null, fetcher }, url));
      return { ending: 'fetched', detail: '200' };
    } catch (error) {
      if (!(error instanceof OutputInvalid)) return fateOfRefusal(error);
      if (error.cause) return fateOfRefusal(error.cause);
      return { ending: URL.canParse(url) ? 'unreachable' : 'request', detail: error.message };
    }
  },
};

function fateOfRefusal(error: unknown): Fate {
  if (!(error instanceof OutboundRefused)) throw error;
  return { ending: endingOfReason[error.reason] ?? 'broken', detail: error.reason };
}

/** Returns a fetcher with other limits of time: a busy machine must not decide how a case ends. */
function withLimit(fetcher: GuardedFetcher, timeoutMilliseconds: number, isSlow: boolean): GuardedFetcher {
  return {
    ...fetcher,
    fetch: (url, { pace, ...options }) =>
      fetcher.fetch(url, { ...options, ...(isSlow && pace && { pace }), timeoutMilliseconds }),
  };
}

async function run(
  { column, url, isSlow = false, wasCarriedOut }: Case,
  fetchers: Map<OutboundPolicy, GuardedFetcher>,
) {
  for (let limit = isSlow ? firstLimitMilliseconds : hangLimitMilliseconds; ; limit *= 4) {
    const fetcherOf = (policy: OutboundPolicy) => withLimit(orThrow(fetchers.get(policy)), limit, isSlow);
    const fate = await submit[column](url, fetcherOf).catch((error: unknown): Fate => {
      return { ending: 'broken', detail: String(error) };
    });
    if (!isSlow || wasCarriedOut() || limit >= hangLimitMilliseconds) return fate;
  }
}

function orThrow<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the case names no known policy');
  return value;
}

const folder = mkdtempSync(join(tmpdir(), 'hostile-addresses-'));
const { authorityPath, ...world } = await startWorld(folder);
setDefaultCACertificates([...getCACertificates('default'), readFileSync(authorityPath, 'utf8')]);
const fetchers = new Map([strictPolicy, relaxed, open].map((policy) => [policy, createGuardedFetcher(policy)]));
const forms = allForms();
const cases = columns.flatMap((column) => [
  ...dynamicCases(column, world),
  ...legitimateCases(column, world),
  ...staticCases(column, forms, world),
]);
const judged: HostileAddresses['cases'] = [];
const runCase = async (one: Case): Promise<void> => {
  const fate = await run(one, fetchers);
  judged.push({ ...one, ...fate, wasCarriedOut: one.wasCarriedOut() });
};
const slow = cases.filter(({ isSlow }) => isSlow).map(runCase);
await forEachConcurrently(
  concurrency,
  cases.filter(({ isSlow }) => !isSlow),
  runCase,
);
await Promise.all(slow);
const trespasses = world.internet.trespasses.splice(0);

const addressed = forms.filter(({ verdict, address }) => verdict === 'forbidden' && address !== null);
let noticed = 0;
// One after the other, so that each connection belongs to one form.
for (const { url } of addressed) {
  const before = world.internet.trespasses.length;
  const openly = withLimit(orThrow(fetchers.get(open)), hangLimitMilliseconds, false);
  await openly.fetch(url, { maxBytes: 1024, maxRedirects: 0, timeoutMilliseconds: 0 }).catch(() => undefined);
  if (world.internet.trespasses.length > before) noticed += 1;
}
const comparison = await compareClassifier(
  async (address) => {
    const bytes = parseAddress(address);
    return bytes ? classifyAddress(bytes) : 'invalid';
  },
  randomFor('hostile addresses'),
  comparedAddresses,
  () => undefined,
);
rmSync(folder, { recursive: true, force: true });
const found: HostileAddresses = {
  forms: forms.length,
  cases: judged,
  trespasses,
  control: { forms: addressed.length, noticed },
  comparison,
};
process.stdout.write(JSON.stringify(found), () => process.exit());
