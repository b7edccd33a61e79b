import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changesOf, pinChartImages, pinComposeImages, type Release, releaseText } from './release-texts.ts';

const changelog =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2027-01-02\n\n### Added\n\n- A thing.\n\n## [1.2.2]\n\n- Old.\n';
const release: Release = {
  version: '1.2.3',
  repository: 'owner/video',
  registry: 'registry.example.com/owner',
  digests: { 'kinora-server': 'sha256:aa', 'kinora-animatic': 'sha256:bb', 'charts/kinora': 'sha256:cc' },
};

describe('the text of a release', () => {
  test('has the changes of its version only', () => {
    expect(changesOf(changelog, '1.2.3')).toBe('### Added\n\n- A thing.');
    expect(() => changesOf(changelog, '1.2.4')).toThrow('no section "## [1.2.4]"');
  });

  test('has a command that verifies images and chart by digest, and by the workflow that signed them', () => {
    const text = releaseText(release, changelog);
    for (const [name, digest] of Object.entries(release.digests))
      expect(text).toContain(`registry.example.com/owner/${name}@${digest}`);
    expect(text).toContain('owner/video/.github/workflows/release.yml@refs/tags/v1.2.3');
    expect(text).toMatch(/cosign verify[^]*--certificate-oidc-issuer https:\/\/token\.actions\.githubusercontent\.com/);
  });
});

describe('the files of a release', () => {
  test('the chart gets the registry and the digests of the release', () => {
    const values = readFileSync(join(import.meta.dirname, '../deploy/chart/values.yaml'), 'utf8');
    const pinned = pinChartImages(values, release);
    expect(pinned).toContain('\n  registry: registry.example.com/owner\n');
    expect(pinned).toContain('\n  serverDigest: sha256:aa\n');
    expect(pinned).toContain('\n  animaticDigest: sha256:bb\n');
    expect(() => pinChartImages(pinned, release)).toThrow('no empty registry');
  });

  test('the compose files get digests for images of others, and ours follow KINORA_VERSION', async () => {
    const text = [
      '  image: ${KINORA_IMAGE_SERVER:-kinora-server:${KINORA_VERSION:-1.2.3}}',
      '  build: { context: ../.., dockerfile: deploy/images/Dockerfile, target: server }',
      '    image: postgres:17.7-bookworm',
      '    image: kinora-comfyui:0.33.0',
      '    # image: none',
    ];
    const pinned = await pinComposeImages(text.join('\n'), release.registry, (image) =>
      Promise.resolve(`sha256:${image.length}`),
    );
    expect(pinned.split('\n')).toEqual([
      '  image: ${KINORA_IMAGE_SERVER:-registry.example.com/owner/kinora-server:${KINORA_VERSION:-1.2.3}}',
      '    image: postgres:17.7-bookworm@sha256:22',
      '    image: kinora-comfyui:0.33.0',
      '    # image: none',
    ]);
  });
});
