import { createRequire, findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** Returns what a boxed node must read to run a program: its modules, its package.json and its dependency's folder. */
export function packagePaths(programPath: string, dependency: string): string[] {
  const marker = '/node_modules';
  const path = createRequire(programPath).resolve(dependency);
  const modules = path.slice(0, path.lastIndexOf(`${marker}/`) + marker.length);
  const manifest = findPackageJSON('..', programPath);
  if (manifest === undefined) throw new Error(`${programPath} is not in a package`);
  return [dirname(programPath), manifest, modules];
}
