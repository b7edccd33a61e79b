// What a release writes: all texts are made here, so that tests can read them. `release.ts` puts them into files.

export interface Release {
  version: string;
  /** The repository on GitHub, owner/name. */
  repository: string;
  /** Where images and chart are, such as ghcr.io/owner. */
  registry: string;
  /** The digests (sha256:…) of the images and of the chart. */
  digests: Readonly<Record<'kinora-server' | 'kinora-animatic' | 'charts/kinora', string>>;
}

/** Returns the section of a version in the changelog. */
export function changesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
  if (!section)
    throw new Error(`CHANGELOG.md has no section "## [${version}]": rename "Unreleased", and start a new one`);
  return section.replace(/^.*\n/, '').trim();
}

/** Returns values of the chart with the images of a release as defaults. */
export function pinChartImages(values: string, { registry, digests }: Omit<Release, 'repository' | 'version'>): string {
  const defaults = {
    registry,
    serverDigest: digests['kinora-server'],
    animaticDigest: digests['kinora-animatic'],
  };
  return Object.entries(defaults).reduce((text, [name, value]) => {
    const line = `\n  ${name}: ""\n`;
    if (!text.includes(line)) throw new Error(`the values of the chart have no empty ${name}`);
    return text.replace(line, `\n  ${name}: ${value}\n`);
  }, values);
}

/**
 * Returns a compose file whose images of other projects have digests. Our own are taken from the registry of the release
 * instead of being built, and keep following KINORA_VERSION: `upgrade` changes that, and with a digest it would change nothing.
 */
export async function pinComposeImages(
  text: string,
  registry: string,
  digestOf: (image: string) => Promise<string>,
): Promise<string> {
  const isOfClone = (line: string) => line.trim().startsWith('build: { context: ../..,');
  const lines = text
    .split('\n')
    .filter((line) => !isOfClone(line))
    .map(async (line) => {
      if (line.includes('{KINORA_IMAGE_')) return line.replace(/:-(?=kinora-)/, `:-${registry}/`);
      const [, before = '', image = ''] = /^( *image: )([\w./-]+:[\w.-]+)$/.exec(line) ?? [];
      // An image with our prefix is built on the machine itself.
      if (!image || image.startsWith('kinora-')) return line;
      return `${before}${image}@${await digestOf(image)}`;
    });
  return (await Promise.all(lines)).join('\n');
}

/** Returns the text of a release: its changes, how to verify it, and what to pin. */
export function releaseText(release: Release, changelog: string): string {
  const { version, repository, registry, digests } = release;
  const references = Object.entries(digests).map(([name, digest]) => `${registry}/${name}@${digest}`);
  const [server, animatic] = references;
  const identity = `https://github.com/${repository}/.github/workflows/release.yml@refs/tags/v${version}`;
  return `${changesOf(changelog, version)}

## Verify

Images and chart are signed by the workflow that built them, with [cosign 3](https://docs.sigstore.dev) and without a
key that could leak. The command fails unless this repository's release workflow has signed them at this tag:

\`\`\`sh
for artefact in \\
${references.map((reference) => `  ${reference}`).join(' \\\n')}
do
  cosign verify "$artefact" \\
    --certificate-identity ${identity} \\
    --certificate-oidc-issuer https://token.actions.githubusercontent.com
done
\`\`\`

Images, chart, packages and the compose files also have an attestation of how they were built:

\`\`\`sh
gh attestation verify oci://${server} --repo ${repository}
gh attestation verify kinora-sdk-${version}.tgz --repo ${repository}
\`\`\`

Each image has an SBOM and the provenance of its build: \`docker buildx imagetools inspect ${registry}/kinora-server:${version} --format '{{ json .SBOM }}'\`.

## Install

\`\`\`sh
helm install kinora oci://${registry}/charts/kinora --version ${version} -f values.yaml
\`\`\`

Compose: unpack \`kinora-compose-${version}.tar.gz\`. To pin our images by digest as well, add these lines to \`.env\`:

\`\`\`sh
KINORA_IMAGE_SERVER=${server}
KINORA_IMAGE_ANIMATIC=${animatic}
\`\`\`

The SDK, the command line and the AI SDK provider are attached as tarballs: see docs/install.md.
`;
}
