import { createRequire, findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns what a boxed node needs to read to run the module and those beside it: their folder, the package.json that
 * tells node how to read them, and the node_modules folder that contains a dependency.
 */
export function packagePaths(moduleUrl: string, dependency: string): string[] {
  const marker = '/node_modules';
  const path = createRequire(moduleUrl).resolve(dependency);
  const modules = path.slice(0, path.lastIndexOf(`${marker}/`) + marker.length);
  const manifest = findPackageJSON('..', moduleUrl);
  if (manifest === undefined) throw new Error(`${moduleUrl} is not in a package`);
  return [dirname(fileURLToPath(moduleUrl)), manifest, modules];
}
