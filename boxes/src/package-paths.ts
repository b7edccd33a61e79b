import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns what a boxed node needs to read to run sources of a package: the folder of the sources, the package.json that
 * tells node how to read them, and the node_modules folder that contains a dependency. Resolve the dependency with
 * `import.meta.resolve`.
 */
export function packagePaths(sourceFolder: string, packageFolder: string, dependencyUrl: string): string[] {
  const dependency = fileURLToPath(dependencyUrl);
  const marker = '/node_modules';
  const modules = dependency.slice(0, dependency.lastIndexOf(`${marker}/`) + marker.length);
  return [sourceFolder, join(packageFolder, 'package.json'), modules];
}
