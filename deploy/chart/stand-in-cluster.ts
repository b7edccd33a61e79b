import { type LoopbackServer, startLoopbackServer } from '@kinora/stack/harness/loopback-server';

/** What `lookup` finds, by kind in plural and name, such as `configmaps/kinora-data`. All are in one namespace. */
export type ClusterObjects = Readonly<Record<string, { data: Readonly<Record<string, string>> }>>;

const kinds = {
  v1: ['ConfigMap', 'Secret', 'Service', 'ServiceAccount'],
  'apps/v1': ['Deployment'],
  'batch/v1': ['Job'],
  'networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'policy/v1': ['PodDisruptionBudget'],
};
const pluralOf = (kind: string): string => kind.toLowerCase().replace(/ss$/, 'sse').replace(/y$/, 'ie').concat('s');

/** Responds like the API of Kubernetes to `helm template --dry-run=server`, which looks objects up. It only reads. */
export async function startStandInCluster(objects: ClusterObjects): Promise<LoopbackServer> {
  const bodies: Record<string, object> = {
    '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: Object.keys(kinds)
        .filter((groupVersion) => groupVersion !== 'v1')
        .map((groupVersion) => {
          const version = { groupVersion, version: groupVersion.split('/')[1] };
          return { name: groupVersion.split('/')[0], versions: [version], preferredVersion: version };
        }),
    },
  };
  for (const [groupVersion, names] of Object.entries(kinds)) {
    const resources = names.map((kind) => ({ name: pluralOf(kind), kind, namespaced: true, verbs: ['get'] }));
    const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
    bodies[path] = { kind: 'APIResourceList', groupVersion, resources };
  }
  for (const [path, { data }] of Object.entries(objects)) {
    const [plural = '', name] = path.split('/');
    const kind = kinds.v1.find((kind) => pluralOf(kind) === plural);
    bodies[`/api/v1/namespaces/video/${path}`] = { apiVersion: 'v1', kind, metadata: { name }, data };
  }
  return startLoopbackServer((request, response) => {
    const body = bodies[new URL(request.url ?? '', 'http://cluster').pathname];
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 }));
  });
}
