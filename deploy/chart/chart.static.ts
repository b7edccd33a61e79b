import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, helm, type KubernetesObject, renderChart } from './helm.ts';
import { writeKubernetesSchemas } from './kubernetes-schemas.ts';
import { type ClusterObjects, startStandInCluster } from './stand-in-cluster.ts';

// Renders the chart with the values in ci/. There is no cluster here: what the objects do in one is not tested.

interface Container {
  name: string;
  image: string;
  args?: string[];
  env: { name: string; value: string }[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  resources: { requests?: object; limits?: { memory?: string } };
}
interface PodSpec {
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext: object;
  containers: [Container];
  volumes: { name: string; emptyDir?: { sizeLimit?: string }; projected?: object }[];
}

const ciValues = ['minimal', 'everything', 'open-network'];
const rendered: Record<string, KubernetesObject[]> = {};
const temporaryFolder = testFolder();

beforeAll(async () => {
  for (const values of ciValues) rendered[values] = await renderChart(values);
});

const objectsOf = (values: string): KubernetesObject[] => rendered[values] ?? [];
const find = (values: string, kind: string, name: string): KubernetesObject => {
  const found = objectsOf(values).find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`${values} has no ${kind} ${name}`);
  return found;
};
const podOf = (object: KubernetesObject): PodSpec => (object['spec'] as { template: { spec: PodSpec } }).template.spec;
const workloadsOf = (values: string): KubernetesObject[] =>
  objectsOf(values).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
const environmentOf = (object: KubernetesObject): Record<string, string> =>
  Object.fromEntries(podOf(object).containers[0].env.map(({ name, value }) => [name, value]));

/** The message of a command that must fail. */
async function messageOf(failing: Promise<unknown>): Promise<string> {
  const error = await failing.then(
    () => null,
    (problem: Error) => problem,
  );
  expect(error, 'the command succeeded').not.toBeNull();
  return error?.message ?? '';
}

describe('the chart', () => {
  it('has the values that are tested here in ci/', async () => {
    expect((await readdir(join(chartFolder, 'ci'))).sort()).toEqual(
      ciValues.map((name) => `${name}-values.yaml`).sort(),
    );
  });

  it.each(ciValues)('passes helm lint without a warning: %s', async (values) => {
    expect(await helm('lint', '.', '--strict', '-f', `ci/${values}-values.yaml`)).toContain('0 chart(s) failed');
  });

  it('renders only objects that Kubernetes accepts, without unknown fields', async () => {
    const kinds = new Set(ciValues.flatMap(objectsOf).map(({ kind, apiVersion }) => `${apiVersion as string}/${kind}`));
    await writeKubernetesSchemas(temporaryFolder, kinds);
    const location = `${temporaryFolder}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
    for (const values of ciValues) {
      const text = await helm('template', 'kinora', '.', '-f', `ci/${values}-values.yaml`);
      const checked = kubeconform(text, ['-strict', '-summary', '-output', 'json', '-schema-location', location]);
      const { resources = [], summary } = JSON.parse(await checked) as { resources?: object[]; summary: object };
      expect(resources).toEqual([]);
      expect(summary).toEqual({ valid: objectsOf(values).length, invalid: 0, errors: 0, skipped: 0 });
    }
    const broken = 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec: { prots: [] }\n';
    expect(await kubeconform(broken, ['-strict', '-output', 'json', '-schema-location', location])).toContain('prots');
  });

  it('renders with the values that docs/operations/kubernetes.md shows', async () => {
    const page = await readFile(join(chartFolder, '../../docs/operations/kubernetes.md'), 'utf8');
    const valuesFile = join(temporaryFolder, 'values.yaml');
    await writeFile(valuesFile, /```yaml\n([^]*?)```/.exec(page)?.[1] ?? '');
    expect(await helm('template', 'kinora', '.', '-f', valuesFile)).toContain('kind: Ingress');
  });

  it('prints the next commands after an install', async () => {
    const notes = await helm('install', 'kinora', '.', '--dry-run=client', '-f', 'ci/minimal-values.yaml');
    expect(notes).toContain('exec deployment/kinora-worker-default -- kinora-server doctor');
  });

  it('is a package without tests and values of CI', async () => {
    await helm('package', '.', '--destination', temporaryFolder);
    const { stdout } = await promisify(execFile)('tar', ['-tzf', join(temporaryFolder, 'kinora-0.1.0.tgz')]);
    expect(stdout).toContain('kinora/values.schema.json');
    expect(stdout).not.toMatch(/\.ts$|\/ci\//m);
  });
});

describe('every pod', () => {
  it('runs without root, without capabilities, without a token, and cannot write to its image', () => {
    for (const object of ciValues.flatMap(workloadsOf)) {
      const pod = podOf(object);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: expect.any(Number),
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.containers).toHaveLength(1);
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('has a limit on memory and on every scratch folder', () => {
    for (const object of ciValues.flatMap(workloadsOf)) {
      const { containers, volumes } = podOf(object);
      expect(containers[0].resources).toMatchObject({
        requests: expect.anything(),
        limits: { memory: expect.any(String) },
      });
      for (const { emptyDir } of volumes.filter((volume) => volume.emptyDir))
        expect(emptyDir?.sizeLimit).toMatch(/^\d+[MG]i$/);
    }
  });

  it('of a server has probes on the ports that serve them, and outlives a graceful stop of 60 s', () => {
    for (const values of ciValues)
      for (const object of workloadsOf(values).filter(
        ({ kind, metadata }) => kind === 'Deployment' && !metadata.name.endsWith('animatic'),
      )) {
        const isApi = object.metadata.name.endsWith('-api');
        expect(podOf(object).containers[0]).toMatchObject({
          startupProbe: { httpGet: { path: '/healthz', port: 'private' } },
          livenessProbe: { httpGet: { path: '/healthz', port: 'private' } },
          readinessProbe: { httpGet: { path: '/readyz', port: isApi ? 'http' : 'private' }, timeoutSeconds: 3 },
        });
        expect(podOf(object).terminationGracePeriodSeconds).toBeGreaterThan(60);
      }
  });
});

describe('secrets', () => {
  it('are in files, and in nothing but Secrets', async () => {
    const secretValues = [
      'only-for-the-tests-of-the-chart-0001',
      'only-for-the-tests-of-the-chart-0002',
      'password',
      'secret-of-the-store',
      'temporal-token',
      'engine-token',
      'openid-secret',
    ];
    const others = JSON.stringify(objectsOf('everything').filter(({ kind }) => kind !== 'Secret'));
    for (const value of secretValues) expect(others).not.toContain(value);
    const data = find('everything', 'Secret', 'kinora')['data'] as Record<string, string>;
    const decoded = Object.values(data).map((value) => Buffer.from(value, 'base64').toString());
    for (const value of secretValues) expect(decoded.join('\n')).toContain(value);
  });

  it('reach each role as mounted files, from existing Secrets as well', () => {
    const api = find('minimal', 'Deployment', 'kinora-api');
    expect(environmentOf(api)).toMatchObject({
      KINORA_SECRET_KEYS_FILE: '/etc/kinora/secrets/secretKeys',
      KINORA_DATABASE_URL_FILE: '/etc/kinora/secrets/databaseUrl',
    });
    expect(environmentOf(api)).not.toHaveProperty('KINORA_ENGINE_TOKENS_FILE');
    expect(podOf(api).volumes.find(({ name }) => name === 'secrets')?.projected).toMatchObject({
      sources: expect.arrayContaining([
        { secret: { name: 'kinora-database', items: [{ key: 'uri', path: 'databaseUrl' }] } },
      ]),
    });
    expect(objectsOf('minimal').filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('do not reach the animatic, and the migration gets the database only', () => {
    const animatic = podOf(find('everything', 'Deployment', 'kinora-animatic'));
    expect(animatic.volumes.map(({ name }) => name)).toEqual(['scratch', 'temporary']);
    const job = find('everything', 'Job', 'kinora-migrate');
    expect(Object.keys(environmentOf(job)).filter((name) => name.endsWith('_FILE'))).toEqual([
      'KINORA_DATABASE_URL_FILE',
    ]);
  });

  it('restart the pods if a value changes', async () => {
    const annotationOf = (objects: KubernetesObject[]): unknown =>
      objects
        .filter(({ metadata }) => metadata.name === 'kinora-api')
        .map((object) => (object['spec'] as { template?: { metadata: { annotations: object } } }).template?.metadata)
        .find((metadata) => metadata)?.annotations;
    const changed = await renderChart('everything', '--set', 'secrets.engineTokens.value=gpu=other');
    expect(annotationOf(changed)).not.toEqual(annotationOf(objectsOf('everything')));
  });
});

describe('settings', () => {
  it('that pods have exist in .env.example', async () => {
    const example = await readFile(join(chartFolder, '../../.env.example'), 'utf8');
    const known = new Set(Array.from(example.matchAll(/^#?(KINORA_\w+)=/gm), ([, name]) => name));
    const used = new Set(ciValues.flatMap(workloadsOf).flatMap((object) => Object.keys(environmentOf(object))));
    expect(used.size).toBeGreaterThan(25);
    const unknown = [...used].filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')));
    expect(unknown).toEqual(['NODE_EXTRA_CA_CERTS']);
  });

  it('of a role take precedence over those of all roles', async () => {
    const objects = await renderChart(
      'minimal',
      '--set',
      'settings.KINORA_LOG_LEVEL=warn,relay.settings.KINORA_LOG_LEVEL=debug',
    );
    const levels = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map((object) => [object.metadata.name, environmentOf(object)['KINORA_LOG_LEVEL']]);
    expect(Object.fromEntries(levels)).toEqual({
      'kinora-animatic': 'warn',
      'kinora-api': 'warn',
      'kinora-relay': 'debug',
      'kinora-worker-default': 'warn',
    });
  });

  it('of every role are accepted by the server', async () => {
    const folder = await mkdtemp(join(temporaryFolder, 'pod-'));
    // What the pod would find in its volumes.
    const files = {
      secretKeys: randomBytes(32).toString('base64url'),
      databaseUrl: 'postgres://kinora:password@127.0.0.1:9/kinora?sslmode=verify-full',
      s3AccessKeyId: 'access',
      s3SecretAccessKey: randomBytes(32).toString('base64url'),
      'models.yaml': 'models: [{ id: animatic }]\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const environments = ['minimal', 'open-network']
      .flatMap(workloadsOf)
      .filter(({ metadata }) => /api|console|relay|worker/.test(metadata.name))
      .map((role) => Object.entries(environmentOf(role)))
      .map((entries) => entries.map(([name, value]) => [name, value.replace(/^\/(etc\/kinora\/\w+|scratch)/, folder)]))
      .map((entries) => Object.fromEntries(entries) as Record<string, string>);
    const reports = await Promise.all(environments.map(doctor));
    expect(reports.map(({ settings, encryption }) => [settings?.verdict, encryption?.verdict === 'failed'])).toEqual(
      Array.from({ length: 7 }, () => ['ok', false]),
    );
    const { settings } = await doctor({ ...environments[0], KINORA_LOG_LEVLE: 'debug' });
    expect(settings?.verdict).toBe('failed');
  });

  it('let the animatic accept requests under the name that workers use, and no other', async () => {
    const port = String(await findFreePorts(1));
    const env = {
      ...environmentOf(find('minimal', 'Deployment', 'kinora-animatic')),
      KINORA_ANIMATIC_HOST: '127.0.0.1',
      KINORA_ANIMATIC_PORT: port,
      KINORA_SCRATCH_FOLDER: join(temporaryFolder, 'animatic'),
      PATH: process.env['PATH'] ?? '',
    };
    const animatic = spawn('node', [join(chartFolder, '../../animatic/src/main.ts')], { env });
    try {
      const worker = environmentOf(find('minimal', 'Deployment', 'kinora-worker-default'));
      const { host } = new URL(worker['KINORA_ANIMATIC_URL'] ?? '');
      await expect.poll(() => statusOf(port, host)).toBe(200);
      expect(await statusOf(port, 'other.example.com')).toBe(421);
    } finally {
      animatic.kill();
      await once(animatic, 'exit');
    }
  });

  it('give each group of workers a size and a place of its own', () => {
    const large = find('everything', 'Deployment', 'kinora-worker-large');
    expect(environmentOf(large)).toMatchObject({ KINORA_MEDIA_CONCURRENCY: '8' });
    expect(podOf(large)).toMatchObject({ nodeSelector: { disk: 'fast' } });
    expect(environmentOf(find('everything', 'Deployment', 'kinora-worker-default'))).toMatchObject({
      KINORA_MEDIA_CONCURRENCY: '2',
    });
  });

  it('name hosts under which the private port and the animatic accept requests', () => {
    const { KINORA_ENGINE_CALLBACK_URL = '', KINORA_ANIMATIC_URL = '' } = environmentOf(
      find('minimal', 'Deployment', 'kinora-worker-default'),
    );
    expect(find('minimal', 'Service', new URL(KINORA_ENGINE_CALLBACK_URL).hostname.split('.')[0] ?? '')).toBeDefined();
    expect(environmentOf(find('minimal', 'Deployment', 'kinora-animatic'))['KINORA_ANIMATIC_NAMES']).toBe(
      new URL(KINORA_ANIMATIC_URL).hostname,
    );
  });

  it('put the models file and its templates into one folder', () => {
    expect(find('everything', 'ConfigMap', 'kinora-models')['data']).toHaveProperty(['wan.json'], '{}');
    expect(environmentOf(find('open-network', 'Deployment', 'kinora-api'))['KINORA_MODELS_FILE']).toBe(
      '/etc/kinora/models/models.yaml',
    );
  });
});

describe('an install or upgrade', () => {
  it('migrates the database before anything else changes', () => {
    const hooks = objectsOf('everything')
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'])
      .map(({ kind, metadata }) => [
        kind,
        metadata.annotations?.['helm.sh/hook'],
        metadata.annotations?.['helm.sh/hook-weight'],
      ]);
    expect(hooks.map((parts) => parts.join(' ')).sort()).toEqual([
      'Job pre-install,pre-upgrade 0',
      'NetworkPolicy pre-install,pre-upgrade -5',
      'Secret pre-install,pre-upgrade -5',
    ]);
    const { containers } = podOf(find('everything', 'Job', 'kinora-migrate'));
    expect(containers[0].args).toEqual(['migrate']);
    expect(containers[0].image).toBe(podOf(find('everything', 'Deployment', 'kinora-api')).containers[0].image);
  });

  it('replaces the pods of a role one at a time, and drains nodes one pod at a time', () => {
    expect(find('minimal', 'Deployment', 'kinora-api')['spec']).toMatchObject({
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    const budgets = objectsOf('minimal').filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual([
      'kinora-api',
      'kinora-relay',
      'kinora-worker',
    ]);
    for (const { spec } of budgets) expect(spec).toMatchObject({ maxUnavailable: 1 });
  });

  it('leads callers from the host of the public URL to the API', () => {
    expect(find('everything', 'Ingress', 'kinora-api')['spec']).toMatchObject({
      tls: [{ hosts: ['video.example.com'], secretName: 'video-tls' }],
      rules: [{ host: 'video.example.com', http: { paths: [{ backend: { service: { name: 'kinora-api' } } }] } }],
    });
    expect(objectsOf('minimal').some(({ kind }) => kind === 'Ingress')).toBe(false);
  });

  it('leads people from the host of the console to it, if it has a URL', () => {
    expect(find('everything', 'Ingress', 'kinora-console')['spec']).toMatchObject({
      tls: [{ hosts: ['console.example.com'], secretName: 'console-tls' }],
      rules: [{ host: 'console.example.com', http: { paths: [{ backend: { service: { name: 'kinora-console' } } }] } }],
    });
    // The API lets the pages of this origin call it.
    for (const role of ['api', 'console'])
      expect(environmentOf(find('everything', 'Deployment', `kinora-${role}`))['KINORA_CONSOLE_URL']).toBe(
        'https://console.example.com',
      );
    expect(objectsOf('minimal').filter(({ metadata }) => metadata.name.endsWith('-console'))).toEqual([]);
  });
});

describe('network policies', () => {
  const specOf = (name: string): { ingress?: unknown[]; egress?: { to?: object[]; ports: { port: unknown }[] }[] } =>
    find('everything', 'NetworkPolicy', name)['spec'] as never;
  const portsOf = (name: string): unknown[] =>
    (specOf(name).egress ?? []).flatMap(({ ports }) => ports.map(({ port }) => port));

  it('deny everything that no other policy allows', () => {
    expect(specOf('kinora-deny')).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'kinora', 'app.kubernetes.io/instance': 'kinora' } },
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it('let only workers, and the doctor in the console, reach the animatic, and the animatic reach nothing', () => {
    const peerOf = (role: string) => ({ podSelector: { matchLabels: { 'app.kubernetes.io/component': role } } });
    expect(specOf('kinora-animatic')).toMatchObject({
      ingress: [{ from: [peerOf('worker'), peerOf('console')] }],
      egress: [],
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it('let each role reach what it needs and no more', () => {
    expect(portsOf('kinora-relay')).toEqual([53, 53, 5432, 7233, 9000]);
    expect(portsOf('kinora-api')).toEqual([53, 53, 5432, 7233, 9000, 443, 80, 8443]);
    expect(portsOf('kinora-worker')).toEqual([53, 53, 5432, 7233, 9000, 443, 80, 8443, 8090, 5000]);
    expect(portsOf('kinora-console')).toEqual([53, 53, 5432, 7233, 9000, 443, 80, 8443, 8090, 5000, 8443]);
    expect(portsOf('kinora-migrate')).toEqual([53, 53, 5432]);
  });

  it('open the private port to the given peers only', () => {
    expect(specOf('kinora-private')).toMatchObject({
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'private' }] }],
    });
    expect(
      objectsOf('minimal').some(
        ({ metadata }) =>
          metadata.name === 'kinora-private' && metadata.labels['app.kubernetes.io/component'] === 'policy',
      ),
    ).toBe(false);
  });

  it('keep URLs of callers out of private networks', () => {
    const blocks = (specOf('kinora-worker').egress ?? [])
      .flatMap(({ to = [] }) => to)
      .filter((peer) => 'ipBlock' in peer);
    expect(JSON.stringify(blocks)).toContain('"169.254.0.0/16"');
  });
});

describe('wrong values are refused with a message', () => {
  it.each<[problem: string, ...args: string[]]>([
    ['image.registry is required', '--set', 'image.registry='],
    ['publicUrl is required', '--set', 'publicUrl='],
    ['publicUrl must begin with https://', '--set', 'publicUrl=http://video.example.com'],
    ['console.url must begin with https://', '--set', 'console.url=http://console.example.com'],
    ['console.url has the host of publicUrl', '--set', 'console.url=https://video.example.com'],
    ['temporal.address is required', '--set', 'temporal.address='],
    ['s3.endpoint is required', '--set', 's3.endpoint='],
    ['s3.bucket is required', '--set', 's3.bucket='],
    ['secrets.secretKeys is required', '--set', 'secrets.secretKeys.existingSecret='],
    ['secrets.databaseUrl is required', '--set', 'secrets.databaseUrl.existingSecret='],
    ['secrets.secretKeys has both a value and an existingSecret', '--set', 'secrets.secretKeys.value=a'],
    ['s3AccessKeyId and secrets.s3SecretAccessKey belong together', '--set', 'secrets.s3AccessKeyId.existingSecret='],
    ['temporal.tls.enabled is false', '--set', 'temporal.tls.enabled=false'],
    ['s3.endpoint is http', '--set', 's3.endpoint=http://store:7070'],
    [
      'secrets.databaseUrl lacks sslmode=verify-full',
      '--set',
      'secrets.databaseUrl.existingSecret=,secrets.databaseUrl.value=postgres://a@b/c',
    ],
    ['temporal.tls names keys of certificates', '--set', 'temporal.tls.caKey=ca.crt'],
    [
      'certificateKey and temporal.tls.privateKeyKey belong together',
      '--set',
      'temporal.tls.existingSecret=a,temporal.tls.certificateKey=b',
    ],
    [
      'models.files and models.existingConfigMap are both set',
      '--set',
      'models.existingConfigMap=a,models.files.models\\.yaml=b',
    ],
    ['models.files has no models.yaml', '--set', 'models.files.other\\.yaml=b'],
    ['nothing would render', '--set', 'animatic.enabled=false'],
    ['networkPolicies.enginesEgress is empty', '--set', 'models.existingConfigMap=a'],
    ['workers is empty', '--set', 'workers.default=null'],
    [
      'the name of a group has at most 20 characters',
      '-f',
      'ci/everything-values.yaml',
      '--set',
      'workers.a-very-long-name-of-a-group.replicas=1,workers.a-very-long-name-of-a-group.mediaConcurrency=1,workers.a-very-long-name-of-a-group.scratchSize=1Gi,workers.a-very-long-name-of-a-group.resources.limits.memory=1Gi',
    ],
    // From the schema.
    ["additional properties 'KINORA_LOG_LEVLE' not allowed", '--set', 'settings.KINORA_LOG_LEVLE=debug'],
    ["additional properties 'KINORA_SECRET_KEYS' not allowed", '--set', 'settings.KINORA_SECRET_KEYS=secret'],
    ["additional properties 'ingress' not allowed", '--set', 'ingress.enabled=true'],
    ['got string, want boolean', '--set-string', 'animatic.enabled=no'],
    ['does not match pattern', '--set', 'temporal.address=temporal.example.com'],
    ['does not match pattern', '--set', 'image.serverDigest=latest'],
    [
      "missing property 'mediaConcurrency'",
      '--set',
      'workers.large.replicas=1,workers.large.scratchSize=1Gi,workers.large.resources.limits.memory=1Gi',
    ],
  ])('%s', async (problem, ...args) => {
    expect(await messageOf(renderChart('minimal', ...args))).toContain(problem);
  });
});

describe('an upgrade that would leave data behind', () => {
  const recorded = { database: 'postgres.example.com:5432/kinora', bucket: 'https://s3.example.com/kinora' };
  const secretWith = (url: string): ClusterObjects => ({
    'secrets/kinora-database': { data: { uri: Buffer.from(url).toString('base64') } },
  });
  const same = secretWith('postgres://kinora:first@postgres.example.com:5432/kinora?sslmode=verify-full');
  const record: ClusterObjects = { 'configmaps/kinora-data': { data: recorded } };

  async function upgrade(objects: ClusterObjects, ...args: string[]): Promise<KubernetesObject[]> {
    await using cluster = await startStandInCluster(objects);
    const server = ['--dry-run=server', '--disable-openapi-validation', '--kube-apiserver', cluster.url];
    return await renderChart('minimal', '--is-upgrade', ...server, ...args);
  }
  const recordIn = (objects: KubernetesObject[]): unknown =>
    objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'kinora-data')?.['data'];

  it('is what the first install records, without the password, and keeps after an uninstall', async () => {
    const objects = await upgrade(same);
    expect(recordIn(objects)).toEqual(recorded);
    expect(find('minimal', 'ConfigMap', 'kinora-data').metadata.annotations).toEqual({
      'helm.sh/resource-policy': 'keep',
    });
  });

  it('is no upgrade with the same data, also if the password changes', async () => {
    const other = secretWith('postgres://kinora:second@postgres.example.com:5432/kinora?sslmode=verify-full');
    expect(recordIn(await upgrade({ ...record, ...other }))).toEqual(recorded);
  });

  it('is refused if the bucket changes, and allowed with the text of the message', async () => {
    const toOther = ['--set', 's3.bucket=videos'];
    const message = await messageOf(upgrade({ ...record, ...same }, ...toOther));
    expect(message).toContain('the bucket changes from https://s3.example.com/kinora to https://s3.example.com/videos');
    const confirmation = /--set-string (confirmOtherData=\w+)/.exec(message)?.[1] ?? '';
    const objects = await upgrade({ ...record, ...same }, ...toOther, '--set-string', confirmation);
    expect(recordIn(objects)).toEqual({ ...recorded, bucket: 'https://s3.example.com/videos' });
    // The text allows this change only.
    const third = upgrade({ ...record, ...same }, '--set', 's3.bucket=third', '--set-string', confirmation);
    expect(await messageOf(third)).toContain('the bucket changes');
  });

  it('is refused if the database in the existing Secret changes', async () => {
    const other = secretWith('postgres://kinora:first@elsewhere.example.com:5432/kinora?sslmode=verify-full');
    expect(await messageOf(upgrade({ ...record, ...other }))).toContain(
      'the database changes from postgres.example.com:5432/kinora to elsewhere.example.com:5432/kinora',
    );
  });

  it('keeps the record of a database whose Secret cannot be read', async () => {
    expect(recordIn(await upgrade(record))).toEqual(recorded);
  });
});

/** Runs kubeconform on a text and returns its report, whether or not it found problems. */
async function kubeconform(text: string, args: string[]): Promise<string> {
  const running = promisify(execFile)('kubeconform', args, { maxBuffer: 16 * 1024 * 1024 });
  running.child.stdin?.end(text);
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  return stdout;
}

/** Returns what the doctor says with the environment of a pod, by check. Nothing that it names can be reached here. */
async function doctor(environment: Record<string, string>): Promise<Record<string, { verdict: string } | undefined>> {
  const args = [join(chartFolder, '../../server/src/main.ts'), 'doctor', '--json'];
  const running = promisify(execFile)('node', args, { env: { PATH: process.env['PATH'] ?? '', ...environment } });
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  const { checks } = JSON.parse(stdout) as { checks: { check: string; verdict: string }[] };
  return Object.fromEntries(checks.map((check) => [check.check, check]));
}

/** Returns the status of a health check under a host name. */
async function statusOf(port: string, host: string): Promise<number | undefined> {
  const [response] = (await once(get({ port, path: '/healthz', headers: { host } }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
