import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package as its package.json describes it. */
interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** Returns an SPDX 2.3 list of what is in the build. `npm sbom` would list what the lockfile allows, which is more. */
export async function renderSoftwareBill(program: Manifest, packageFolders: Iterable<string>): Promise<string> {
  const packages = new Map<string, Manifest>();
  for (const folder of packageFolders) {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
    packages.set(`${manifest.name}@${manifest.version}`, manifest);
  }
  const root = describe(program);
  const others = [...packages.keys()].sort().map((key) => describe(packages.get(key) as Manifest));
  const node = { ...describe({ name: 'node', version: process.versions.node, license: 'MIT' }), externalRefs: [] };
  const name = `${program.name}-${program.version}`;
  const bill = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `https://spdx.org/spdxdocs/${encodeURIComponent(name)}-${crypto.randomUUID()}`,
    creationInfo: { created: `${new Date().toISOString().slice(0, 19)}Z`, creators: ['Tool: kinora scripts/build.ts'] },
    packages: [root, node, ...others],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: root.SPDXID },
      ...[node, ...others].map(({ SPDXID }) => ({
        spdxElementId: root.SPDXID,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: SPDXID,
      })),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function describe({ name, version, license = 'NOASSERTION' }: Manifest) {
  return {
    name,
    SPDXID: `SPDXRef-Package-${`${name}-${version}`.replaceAll(/[^a-zA-Z0-9.-]+/g, '.')}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: license,
    copyrightText: 'NOASSERTION',
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      },
    ],
  };
}
