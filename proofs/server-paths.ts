/** Prefixes of paths below server/src, separated by white space. */
export function serverPaths(prefixes: string): string[] {
  return prefixes.split(/\s+/).map((prefix) => `server/src/${prefix}`);
}
