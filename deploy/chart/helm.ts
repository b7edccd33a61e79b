import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);
export const chartFolder = import.meta.dirname;

/** An object of Kubernetes, as far as the tests look at it. */
export interface KubernetesObject {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string>; labels: Record<string, string> };
  /** The shape depends on the kind; kubeconform checks it. */
  [field: string]: unknown;
}

/** Runs helm in this folder and returns what it prints. If it fails, the error has its message. */
export async function helm(...args: string[]): Promise<string> {
  const { stdout } = await run('helm', args, { cwd: chartFolder, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Renders the chart with values from the folder `ci`, and with further arguments of `helm template`. */
export async function renderChart(values: string, ...args: string[]): Promise<KubernetesObject[]> {
  const text = await helm('template', 'kinora', '.', '--namespace', 'video', '-f', `ci/${values}-values.yaml`, ...args);
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new AggregateError(document.errors);
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}
