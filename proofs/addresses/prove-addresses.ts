import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { randomFor } from '@kinora/stack/harness/seeded-random';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { ProofOutcome, ProofSize } from '../proof.ts';
import { columns, type World } from './address-case.ts';
import { sizes } from './addresses-size.ts';
import { compareClassifier } from './compare-classifier.ts';
import { watchDeliveries } from './deliveries.ts';
import { dynamicCases } from './dynamic-cases.ts';
import { allForms, type Form } from './forms.ts';
import { judge } from './judge-addresses.ts';
import { legitimateCases } from './legitimate-cases.ts';
import { startLineCommand } from './line-command.ts';
import type { Evidence } from './record.ts';
import { imagesPerProject, runCases } from './run-address-cases.ts';
import { staticCases } from './static-cases.ts';
import { createSubmitters, type Policy, readFetched, type SubmitUrl, submitImages } from './submit-url.ts';

interface Parts {
  stack: Stack;
  world: World;
  size: ProofSize;
  report: (line: string) => void;
  /** The authority that signed the certificates of the proof's web servers. */
  authorityPath: string;
}

const relaxedPorts = [8080, 9000];
/** Together with the project of the other cases, they take in as many images as the process allows. */
const slowImageProjects = 2;

/** Runs every case against an installation and a fetcher, then the control, then the comparison of the classifier. */
export async function prove({ stack, world, size, report, authorityPath }: Parts): Promise<ProofOutcome> {
  const chosen = sizes[size];
  const rolePorts = await findFreePorts(3);
  const ports = { api: rolePorts, animatic: rolePorts + 1, private: rolePorts + 2 };
  const stackPorts = { postgres: portOf(stack.info.databaseUrl), s3: portOf(stack.info.s3.endpoint), ...ports };
  // The stack's own ports are allowed, so that only the address can be the reason for a refusal.
  const allowedPorts = [...relaxedPorts, ...Object.values(stackPorts)].join(',');
  const proxy = 'http://127.0.0.1:3128';
  const environment = {
    NODE_EXTRA_CA_CERTS: authorityPath,
    // Kinora must ignore the proxy: NO_PROXY excepts the stack, and any other use of the proxy connects to the canary.
    ...Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, proxy]),
    ),
    NO_PROXY: '127.0.0.1',
    no_proxy: '127.0.0.1',
    KINORA_OUTBOUND_ALLOW_HTTP: 'true',
    KINORA_OUTBOUND_ALLOWED_PORTS: allowedPorts,
    KINORA_WEBHOOK_SCHEDULE_SECONDS: '0',
  };
  // No task may render: tasks wait until they are cancelled.
  const limits = { running: 0, waiting: 1_000_000, creates: 1_000_000, reads: 1_000_000 };
  await using installation = await startInstallation({ stack, ports, limits, environment, onProgress: report });
  await using database = await openDatabase(stack);
  await using deliveries = closing(watchDeliveries(database, interrupted));
  const fetcher = (exceptions: Record<string, string>) =>
    startLineCommand(['outbound', 'fetch'], { ...installation.environment, ...exceptions }, (line) =>
      JSON.stringify((JSON.parse(line) as { url: string }).url),
    );
  const commands = {
    strict: fetcher({ KINORA_OUTBOUND_ALLOW_HTTP: 'false', KINORA_OUTBOUND_ALLOWED_PORTS: '' }),
    relaxed: fetcher({}),
    // The control allows every network: the canary must notice these connections, or the proof shows nothing.
    open: fetcher({ KINORA_OUTBOUND_ALLOWED_NETWORKS: '0.0.0.0/0,::/0' }),
    classify: startLineCommand(['outbound', 'classify'], {}, (line) => line.slice(0, line.lastIndexOf(' '))),
  };
  try {
    const databaseUrl = `http://127.0.0.1:${stackPorts.postgres}/`;
    const fetchUnder =
      (policy: Policy): SubmitUrl =>
      async (url) =>
        readFetched(await commands[policy].send(JSON.stringify(url)));
    const open = fetchUnder('open');
    const fetchers = { strict: fetchUnder('strict'), relaxed: fetchUnder('relaxed'), open };
    const submitters = createSubmitters(installation, fetchers, deliveries);
    const owner = createApiClient({ url: installation.url, key: installation.liveKey });
    const slowImageLanes: SubmitUrl[] = [];
    for (let number = 0; number < slowImageProjects; number += 1) {
      const key = await insertProject(owner, database, { name: `slow ${number}`, running: 0 });
      slowImageLanes.push(...Array<SubmitUrl>(imagesPerProject).fill(submitImages(installation.url, key)));
    }
    const foreignForms = allForms();
    const forms = [...foreignForms, ...stackForms(stackPorts)];
    const cases = columns.flatMap((column) => [
      ...dynamicCases(column, world),
      ...legitimateCases(column, world),
      // A callback takes two commits and a workflow, so only the required number of forms is tried as callbacks.
      ...staticCases(column, column === 'callback_url' ? sampleOf(forms, chosen.callbackForms) : forms, world),
    ]);
    report(`${forms.length} forms make ${cases.length} cases`);
    const records = await runCases(cases, submitters, slowImageLanes, report, interrupted);
    // Connections from here on come from the control.
    const trespasses = world.internet.trespasses.splice(0);
    const databaseKnocks = countKnocks(stack);
    report('running the control: the same forms without the guard');
    const control = await runControl(foreignForms, open, world, databaseUrl);
    const knocksAfter = countKnocks(stack);
    const comparison = await compareClassifier(
      async (address) => (await commands.classify.send(address)).split(' ').at(-1) ?? '',
      randomFor('addresses'),
      chosen.addresses,
      (compared) => compared % 200_000 === 0 && report(`${compared} addresses compared with the registries`),
    );
    const evidence: Evidence = {
      forms: forms.length,
      cases: records,
      trespasses,
      databaseKnocks,
      control: { ...control, databaseKnocks: knocksAfter - databaseKnocks },
      comparison,
    };
    const { figures, failures } = judge(evidence, chosen.thresholds);
    return { figures, failures: [...failures, ...(await findSelfRepairs(stack, installation))] };
  } finally {
    await Promise.all(Object.values(commands).map((command) => command.close()));
  }
}

/** Returns forms that name the stack's own services at the addresses that the installation itself uses. */
function stackForms(ports: Record<string, number>): Form[] {
  return Object.entries(ports).flatMap(([name, port]) =>
    ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0'].map((host) => ({
      group: `the stack's own ${name}`,
      url: `http://${host}:${port}/`,
      verdict: 'forbidden' as const,
      address: host === 'localhost' ? null : host.replace(/^\[|\]$/g, ''),
    })),
  );
}

/** Fetches every form that names an address without the guard, and counts those that the canary noticed. */
async function runControl(forms: readonly Form[], fetchOpenly: SubmitUrl, { internet }: World, databaseUrl: string) {
  const addressed = forms.filter(({ verdict, address }) => verdict === 'forbidden' && address !== null);
  let noticed = 0;
  // One after the other, so that each connection belongs to one form.
  for (const { url } of addressed) {
    const before = internet.trespasses.length;
    await fetchOpenly(url);
    if (internet.trespasses.length > before) noticed += 1;
  }
  await fetchOpenly(databaseUrl);
  return { forms: addressed.length, noticed };
}

/** Counts the connections that Postgres logged as not speaking its protocol, as an HTTP request does not. */
function countKnocks(stack: Stack): number {
  const log = readFileSync(join(stack.info.folder, 'postgres.log'), 'utf8');
  return log.split('\n').filter((line) => /startup packet|unsupported frontend protocol/.test(line)).length;
}

/** Returns `count` of the items, evenly spread. */
function sampleOf<T>(items: readonly T[], count: number): T[] {
  return items.filter(
    (_, index) => Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  );
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
