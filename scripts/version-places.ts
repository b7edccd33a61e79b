/** A version of Kinora, as it is written: three numbers, and perhaps a name such as -beta.1. */
export const versionPattern = '\\d+\\.\\d+\\.\\d+(?:-[a-z]+\\.\\d+)?';

/** Where the version of Kinora is written: which files, and what is before it. There is one version for all parts. */
const places: readonly { files: RegExp; before: RegExp }[] = [
  // Packages, and what they need of each other.
  { files: /(^|\/)package\.json$/, before: /^ {2}"version": "|^ {4}"@kinora\/[\w-]+": "/ },
  {
    files: /^package-lock\.json$/,
    before: /"name": "(?:@kinora\/[\w-]+|kinora)",\n +"version": "|^ {8}"@kinora\/[\w-]+": "/,
  },
  { files: /^integrations\/ai-sdk\/src\/version\.ts$/, before: /^export const version = '/ },
  { files: /^openapi\.json$/, before: /^ {4}"title": "Kinora",\n {4}"version": "/ },
  // The chart and the images.
  { files: /^deploy\/chart\/Chart\.yaml$/, before: /^(?:version|appVersion): / },
  { files: /^deploy\/chart\/ci\//, before: /^ {2}tag: / },
  { files: /(^|\/)Dockerfile$/, before: /^ARG VERSION=/ },
  { files: /^(deploy|docs)\//, before: /KINORA_VERSION(?::-|=)/ },
  { files: /^deploy\/.*\.ts$/, before: /^const version = '/ },
  // Tarballs of packages and of the chart, and names of images, in documents and tests too.
  { files: /\.(md|ts|ya?ml|env)$|Dockerfile$/, before: /\bkinora(?:-sdk|-ai-sdk|[-/]server|[-/]animatic)?[-:]/ },
];

/** History, records of other programs, and texts about them. */
const isKept =
  /^(CHANGELOG\.md|docs\/decisions\/|predictors\/|checks\/one-version\.test\.ts|scripts\/tools\/)|\/recorded\//;

/** Returns the versions of Kinora that a file has, in their order. */
export function versionsIn(path: string, text: string): string[] {
  const found: string[] = [];
  replaceVersions(path, text, (version) => {
    found.push(version);
    return version;
  });
  return found;
}

/** Returns the text of a file with another version. */
export function withVersion(path: string, text: string, version: string): string {
  return replaceVersions(path, text, () => version);
}

function replaceVersions(path: string, text: string, replace: (version: string) => string): string {
  if (isKept.test(path)) return text;
  return places
    .filter(({ files }) => files.test(path))
    .reduce(
      (replaced, { before }) =>
        replaced.replaceAll(new RegExp(`(?<=${before.source})${versionPattern}(?![\\w.]*\\d)`, 'gm'), (version) =>
          replace(version),
        ),
      text,
    );
}
