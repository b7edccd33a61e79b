import { createRequire, findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/**
 * Returns what a boxed node needs to read to run the program at this path: the folder of its modules, the package.json
 * that tells node how to read them, and the node_modules folder that contains a dependency.
 */
export function packagePaths(programPath: string, dependency: string): string[] {
  const marker = '/node_modules';
  const path = createRequire(programPath).resolve(dependency);
  const modules = path.slice(0, path.lastIndexOf(`${marker}/`) + marker.length);
  const manifest = findPackageJSON('..', programPath);
  if (manifest === undefined) throw new Error(`${programPath} is not in a package`);
  return [dirname(programPath), manifest, modules];
}
