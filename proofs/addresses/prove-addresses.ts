import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startInstallation } from '@kinora/stack/harness/installation';
import { interrupted } from '@kinora/stack/harness/interruption';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { seededRandom } from '@kinora/stack/harness/seeded-random';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { ProofOutcome, ProofSize } from '../proof.ts';
import { columns, type World } from './address-case.ts';
import { sizes } from './addresses-size.ts';
import { type Ask, createAsks, type Policy, readFetched } from './ask-columns.ts';
import { compareClassifier } from './compare-classifier.ts';
import { watchDeliveries } from './deliveries.ts';
import { dynamicCases } from './dynamic-cases.ts';
import { allForms, type Form } from './forms.ts';
import { judge } from './judge-addresses.ts';
import { legitimateCases } from './legitimate-cases.ts';
import { startLineCommand } from './line-command.ts';
import type { Evidence } from './record.ts';
import { runCases } from './run-address-cases.ts';
import { staticCases } from './static-cases.ts';

interface Parts {
  stack: Stack;
  world: World;
  size: ProofSize;
  report: (line: string) => void;
  /** The authority that signed for the world's servers. */
  authorityPath: string;
}

const relaxedPorts = [8080, 9000];

/** Puts every case to an installation and a fetcher, then the control, then the classifier. */
export async function prove({ stack, world, size, report, authorityPath }: Parts): Promise<ProofOutcome> {
  const asked = sizes[size];
  const rolePorts = await findFreePorts(3);
  const ports = { api: rolePorts, animatic: rolePorts + 1, private: rolePorts + 2 };
  const stackPorts = { postgres: portOf(stack.info.databaseUrl), s3: portOf(stack.info.s3.endpoint), ...ports };
  // With the stack's own ports allowed, nothing but the address is left to refuse.
  const allowedPorts = [...relaxedPorts, ...Object.values(stackPorts)].join(',');
  const proxy = 'http://127.0.0.1:3128';
  const environment = {
    NODE_EXTRA_CA_CERTS: authorityPath,
    // The stack itself is reached directly; whatever else takes this proxy meets the canary.
    ...Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, proxy]),
    ),
    NO_PROXY: '127.0.0.1',
    no_proxy: '127.0.0.1',
    KINORA_OUTBOUND_ALLOW_HTTP: 'true',
    KINORA_OUTBOUND_ALLOWED_PORTS: allowedPorts,
    KINORA_WEBHOOK_SCHEDULE_SECONDS: '0',
  };
  // Nothing is to be rendered: tasks wait until they are cancelled.
  const limits = { running: 0, waiting: 1_000_000, creates: 1_000_000, reads: 1_000_000 };
  const installation = await startInstallation({ stack, ports, limits, environment, onProgress: report });
  const database = await openDatabase(stack);
  const deliveries = watchDeliveries(database, interrupted);
  const fetcher = (exceptions: Record<string, string>) =>
    startLineCommand(['outbound', 'fetch'], { ...installation.environment, ...exceptions }, (line) =>
      JSON.stringify((JSON.parse(line) as { url: string }).url),
    );
  const commands = {
    strict: fetcher({ KINORA_OUTBOUND_ALLOW_HTTP: 'false', KINORA_OUTBOUND_ALLOWED_PORTS: '' }),
    relaxed: fetcher({}),
    // Everything is let through: what a canary must notice, or it notices nothing.
    open: fetcher({ KINORA_OUTBOUND_ALLOWED_NETWORKS: '0.0.0.0/0,::/0' }),
    classify: startLineCommand(['outbound', 'classify'], {}, (line) => line.slice(0, line.lastIndexOf(' '))),
  };
  try {
    const databaseUrl = `http://127.0.0.1:${stackPorts.postgres}/`;
    const fetchUnder =
      (policy: Policy): Ask =>
      async (url) =>
        readFetched(await commands[policy].ask(JSON.stringify(url)));
    const open = fetchUnder('open');
    const fetchers = { strict: fetchUnder('strict'), relaxed: fetchUnder('relaxed'), open };
    const asks = createAsks(installation, fetchers, deliveries);
    const foreignForms = sample(allForms(), asked.everyForm);
    const forms = [...foreignForms, ...sample(stackForms(stackPorts), Math.min(5, asked.everyForm))];
    const cases = columns.flatMap((column) => {
      const dynamic = dynamicCases(column, world).filter((one) => asked.includesSlow || !one.isSlow);
      return [
        ...sample(dynamic, asked.everyDynamic),
        ...sample(legitimateCases(column, world), asked.everyLegitimate),
        // A callback takes two commits and a workflow: as many of them as are promised.
        ...staticCases(column, column === 'callback_url' ? sampleOf(forms, asked.callbackForms) : forms, world),
      ];
    });
    report(`${forms.length} forms make ${cases.length} cases`);
    const records = await runCases(cases, asks, report, interrupted);
    // What comes from here on is the control's doing.
    const trespasses = world.internet.trespasses.splice(0);
    const databaseKnocks = countKnocks(stack);
    report('the control: the same forms with the guard open');
    const control = await runControl(foreignForms, open, world, databaseUrl);
    const knocksAfter = countKnocks(stack);
    const comparison = await compareClassifier(
      async (address) => (await commands.classify.ask(address)).split(' ').at(-1) ?? '',
      seededRandom(asked.seed ?? Date.now()),
      asked.addresses,
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
    return judge(evidence, asked.thresholds);
  } finally {
    await deliveries.close();
    await database.end();
    await installation.close();
    await Promise.all(Object.values(commands).map((command) => command.close()));
  }
}

/** The stack's own services, by the addresses that the installation itself uses. */
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

/** Every form that names an address, through a fetcher without its guard; noticed is what the canary saw of it. */
async function runControl(forms: readonly Form[], fetchOpenly: Ask, { internet }: World, databaseUrl: string) {
  const addressed = forms.filter(({ verdict, address }) => verdict === 'forbidden' && address !== null);
  let noticed = 0;
  // One after the other, so that each connection has its form.
  for (const { url } of addressed) {
    const before = internet.trespasses.length;
    await fetchOpenly(url);
    if (internet.trespasses.length > before) noticed += 1;
  }
  await fetchOpenly(databaseUrl);
  return { forms: addressed.length, noticed };
}

/** Postgres complains of whoever does not speak its protocol, as a fetcher would not. */
function countKnocks(stack: Stack): number {
  const log = readFileSync(join(stack.info.folder, 'postgres.log'), 'utf8');
  return log.split('\n').filter((line) => /startup packet|unsupported frontend protocol/.test(line)).length;
}

function sample<T>(items: readonly T[], every: number): T[] {
  return items.filter((_, index) => index % every === 0);
}

/** So many of them, evenly spread. */
function sampleOf<T>(items: readonly T[], count: number): T[] {
  return items.filter(
    (_, index) => Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  );
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
