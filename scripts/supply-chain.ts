import { execFile } from 'node:child_process';

/** What a check found. `unchecked` says why a service could not tell; then the other two are empty. */
export interface Outcome {
  name: string;
  failures: string[];
  notes: string[];
  unchecked: string | null;
}

export interface PackageVersion {
  ecosystem: 'npm' | 'PyPI';
  name: string;
  version: string;
}

/** Runs npm and returns what it wrote to stdout, whatever its exit code; the text is empty if it took too long. */
export type RunNpm = (args: string[]) => Promise<string>;

interface SignatureReport {
  invalid?: { name: string; version: string; code?: string }[];
  missing?: { name: string; version: string }[];
  error?: { code?: string; summary?: string };
}

interface AdvisoryReport {
  vulnerabilities?: Record<string, { severity: string; range: string }>;
  error?: { code?: string };
  statusCode?: number;
}

const longestRequestMilliseconds = 20_000;
/** Longer than npm's own limit for one request, so that npm can say why it gave up. */
const longestRunMilliseconds = 60_000;

export function createRunNpm(registry: string, timeoutMilliseconds = longestRunMilliseconds): RunNpm {
  const limits = [`--fetch-timeout=${longestRequestMilliseconds}`, '--fetch-retries=1'];
  const options = { timeout: timeoutMilliseconds, maxBuffer: 2 ** 26 };
  return (args) =>
    new Promise((resolve) => {
      execFile('npm', [...args, '--json', `--registry=${registry}`, ...limits], options, (error, stdout) =>
        resolve(error?.killed ? '' : stdout),
      );
    });
}

/** Checks npm's signatures. A mirror may leave them out: if the probe has none, there is nothing to check. */
export async function checkSignatures(registry: string, probe: PackageVersion, runNpm: RunNpm): Promise<Outcome> {
  const name = 'signatures of npm packages';
  const document = await requestJson(`${registry.replace(/\/$/, '')}/${probe.name}/${probe.version}`);
  if ('reason' in document) return unchecked(name, `the registry ${document.reason}`);
  const { dist } = document.value as { dist?: { signatures?: unknown[] } };
  if (!dist?.signatures?.length) return unchecked(name, 'the registry serves no signatures');
  return judgeSignatures(name, await runNpm(['audit', 'signatures']));
}

/** The errors of npm that say something about a signature. All others are about the network, or npm itself. */
const signatureErrors = [
  'EINTEGRITY',
  'EINTEGRITYSIGNATURE',
  'EMISSINGSIGNATUREKEY',
  'EEXPIREDSIGNATUREKEY',
  'EATTESTATIONSUBJECT',
  'EATTESTATIONVERIFY',
];

function judgeSignatures(name: string, output: string): Outcome {
  const report: SignatureReport | null = parse(output); // every field is optional and checked below
  const { code = 'no code', summary = '' } = report?.error ?? {};
  if (signatureErrors.includes(code)) return failed(name, [`${code}: ${summary}`]);
  if (!report?.invalid || !report.missing) return unchecked(name, reasonOf(report));
  return failed(name, [
    ...report.invalid.map((one) => `${one.name}@${one.version} has an invalid signature (${one.code ?? 'no code'})`),
    ...report.missing.map((one) => `${one.name}@${one.version} has no signature, but other packages have one`),
  ]);
}

/** The packages for callers contain copies of their `devDependencies`, which therefore run in production too. */
const bundlingWorkspaces = ['--workspace=cli', '--workspace=integrations/ai-sdk'];

/** Checks the packages that run in production for advisories. Only those of high and critical severity fail. */
export async function checkAdvisories(runNpm: RunNpm): Promise<Outcome> {
  const name = 'advisories for npm packages in production';
  const runs = [
    ['audit', '--omit=dev'],
    ['audit', ...bundlingWorkspaces],
  ];
  const reports = (await Promise.all(runs.map(runNpm))).map((output): AdvisoryReport | null => parse(output)); // as above
  const incomplete = reports.find((report) => !report?.vulnerabilities);
  if (incomplete !== undefined) return unchecked(name, reasonOf(incomplete));
  const vulnerabilities = new Map(reports.flatMap((report) => Object.entries(report?.vulnerabilities ?? {})));
  const found = [...vulnerabilities].map(([packageName, { severity, range }]) => ({
    isGrave: severity === 'high' || severity === 'critical',
    text: `${packageName} ${range}: ${severity}`,
  }));
  return {
    ...failed(
      name,
      found.filter(({ isGrave }) => isGrave).map(({ text }) => text),
    ),
    notes: found.filter(({ isGrave }) => !isGrave).map(({ text }) => text),
  };
}

/** Looks all packages up in OSV. A malicious one fails; others are reported, because OSV states no severity here. */
export async function checkOsv(osv: string, packages: PackageVersion[]): Promise<Outcome> {
  const name = 'packages in OSV';
  const found: string[] = [];
  const mostQueries = 1000; // OSV's limit for one request
  for (let start = 0; start < packages.length; start += mostQueries) {
    const chunk = packages.slice(start, start + mostQueries);
    const queries = chunk.map(({ ecosystem, name: packageName, version }) => ({
      package: { ecosystem, name: packageName },
      version,
    }));
    const response = await requestJson(`${osv}/v1/querybatch`, JSON.stringify({ queries }));
    if ('reason' in response) return unchecked(name, `OSV ${response.reason}`);
    const { results } = response.value as { results?: ({ vulns?: { id: string }[] } | null)[] };
    if (results?.length !== chunk.length) return unchecked(name, 'OSV sent an incomplete response');
    for (const [index, one] of chunk.entries())
      for (const { id } of results[index]?.vulns ?? [])
        found.push(`${id}: ${one.name}@${one.version} (${one.ecosystem})`);
  }
  const isMalicious = (text: string) => text.startsWith('MAL-');
  return { ...failed(name, found.filter(isMalicious)), notes: found.filter((text) => !isMalicious(text)) };
}

/** Requests JSON, by POST if there is a body; without a usable response it returns the reason. */
async function requestJson(url: string, body?: string): Promise<{ value: object } | { reason: string }> {
  // oxlint-disable-next-line kinora/no-time-judgement -- a service on the internet: one that does not respond fails nothing
  const signal = AbortSignal.timeout(longestRequestMilliseconds);
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  try {
    const response = await fetch(url, { signal, headers, ...(body ? { method: 'POST', body } : {}) });
    if (!response.ok) return { reason: `responded with status ${response.status}` };
    const value = parse(await response.text());
    return value ? { value } : { reason: 'did not respond with JSON' };
  } catch {
    return { reason: 'did not respond' };
  }
}

function reasonOf(report: { error?: { code?: string }; statusCode?: number } | null): string {
  if (!report) return `npm had no result after at most ${longestRunMilliseconds / 1000} s`;
  if (report.statusCode) return `the registry responded with status ${report.statusCode}`;
  return `npm stopped with ${report.error?.code ?? 'an unknown error'}`;
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function failed(name: string, failures: string[]): Outcome {
  return { name, failures, notes: [], unchecked: null };
}

function unchecked(name: string, reason: string): Outcome {
  return { name, failures: [], notes: [], unchecked: reason };
}
