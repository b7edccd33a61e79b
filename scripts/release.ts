import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import serverPackage from '../server/package.json' with { type: 'json' };
import { changesOf, pinChartImages, pinComposeImages, releaseText } from './release-texts.ts';

// Steps of .github/workflows/release.yml:
//   release.ts check v0.2.0              fails unless the tag is the version, and the changelog has its changes
//   release.ts pin OUTPUT                copies the chart and the compose files with the images of the release
//   release.ts text                      prints the text of the release
// `pin` and `text` take --registry, --repository and a digest per artefact.

const root = resolve(import.meta.dirname, '..');
const { version } = serverPackage;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    registry: { type: 'string', default: '' },
    repository: { type: 'string', default: '' },
    server: { type: 'string', default: '' },
    animatic: { type: 'string', default: '' },
    chart: { type: 'string', default: '' },
  },
});
const { registry, repository, server, animatic, chart } = values;
const digests = { 'kinora-server': server, 'kinora-animatic': animatic, 'charts/kinora': chart };
const [step, argument = ''] = positionals;
const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');

if (step === 'check') {
  if (argument !== `v${version}`) throw new Error(`the tag is ${argument}, but the version is ${version}`);
  changesOf(changelog, version);
} else if (step === 'pin') {
  await cp(join(root, 'deploy/chart'), join(argument, 'chart'), { recursive: true });
  const valuesFile = join(argument, 'chart/values.yaml');
  await writeFile(valuesFile, pinChartImages(await readFile(valuesFile, 'utf8'), { registry, digests }));
  const composeFolder = join(root, 'deploy/compose');
  const copy = join(argument, `kinora-compose-${version}`);
  // Without what only our tests need.
  await cp(composeFolder, copy, { recursive: true, filter: (path) => !/\.ts$|\/(loader|runner)$/.test(path) });
  for (const name of (await readdir(copy)).filter((file) => file.endsWith('.yaml'))) {
    const text = await readFile(join(copy, name), 'utf8');
    await writeFile(join(copy, name), await pinComposeImages(text, registry, digestOf));
  }
} else if (step === 'text') {
  console.log(releaseText({ version, repository, registry, digests }, changelog));
} else {
  throw new Error('name a step: check, pin or text');
}

async function digestOf(image: string): Promise<string> {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  return (await promisify(execFile)('docker', args)).stdout.trim();
}
