// The import table of ARCHITECTURE.md as rules. `scripts/check-imports.ts` runs them and insists on a module count.
// Circles between the children of a folder are its business too: `scripts/folder-cycles.ts`.
const within = (child) => (child.endsWith('.ts') ? `^server/src/${child}$` : `^server/src/${child}/`);
const plain = ['domain', 'telemetry', 'errors.ts'];
const tests = '\\.(test|contract|fixture)\\.ts$';
const ours = '^(server/src|sdk|cli|console|e2e|proofs|bench|scripts)/';

/** Everything of ours that is in neither list is forbidden; what is in `asTypes` may be imported for its types alone. */
const only = (folder, allowed, asTypes, comment) => {
  const from = { path: within(folder), pathNot: tests };
  const values = [folder, ...allowed].map(within);
  const types = [...values, ...asTypes.map(within)];
  return [
    {
      name: `${folder}-imports`,
      comment,
      severity: 'error',
      from,
      to: { path: ours, pathNot: values, dependencyTypesNot: ['type-only'] },
    },
    { name: `${folder}-imports-types`, comment, severity: 'error', from, to: { path: ours, pathNot: types } },
  ];
};

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'domain-is-pure',
      comment: 'domain says what things are: it imports nothing of ours and does no I/O',
      severity: 'error',
      from: { path: within('domain'), pathNot: tests },
      to: { path: ['^server/src/(?!domain/)', 'node_modules'], pathNot: [] },
    },
    {
      name: 'domain-no-io',
      severity: 'error',
      from: { path: within('domain'), pathNot: tests },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    ...only(
      'workflows',
      ['domain'],
      ['activities'],
      'workflows are deterministic: they know activities by their types',
    ),
    {
      name: 'workflows-no-builtins',
      severity: 'error',
      from: { path: within('workflows'), pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    ...['storage', 'media', 'outbound', 'webhooks', 'db'].flatMap((port) =>
      only(port, plain, [], 'a port is handed what it needs; ports never import each other'),
    ),
    ...only('live', plain, ['db'], 'live is handed the tables that it reads'),
    ...only('engines', plain, ['outbound'], 'an engine is handed the guarded fetcher'),
    ...only('telemetry', ['domain', 'errors.ts'], [], 'telemetry sees no more than names'),
    ...only(
      'operations',
      plain,
      ['db', 'engines', 'media', 'outbound', 'storage', 'webhooks'],
      'operations are handed their dependencies',
    ),
    ...only(
      'activities',
      [...plain, 'operations'],
      ['db', 'engines', 'live', 'media', 'outbound', 'storage', 'webhooks'],
      'activities are handed their dependencies',
    ),
    ...only('relay', [...plain, 'operations'], ['db', 'storage'], 'the relay is handed its dependencies'),
    ...only('api', [...plain, 'operations'], ['db', 'live', 'storage'], 'the API is handed its dependencies'),
    {
      name: 'child-processes-only-in-boxes',
      severity: 'error',
      from: { path: '^(server|animatic)/src/', pathNot: tests },
      to: { path: '^(node:)?child_process$' },
    },
    {
      name: 'small-packages-stand-alone',
      comment: 'boxes and settings import nothing of ours; the animatic imports those two',
      severity: 'error',
      from: { path: '^(boxes|settings|animatic)/src/' },
      to: { path: '^(server|stack|sdk|cli|console|e2e|proofs|bench|scripts)/' },
    },
    {
      name: 'server-imports-one-thing-of-the-animatic',
      comment: 'the reader of prompts, for warnings; the rest of the animatic is another program',
      severity: 'error',
      from: { path: '^server/src/', pathNot: tests },
      to: { path: '^(animatic|stack)/', pathNot: '^animatic/src/storyboard/prompt-warning\\.ts$' },
    },
    {
      name: 'stack-stands-beside-the-programs',
      comment: 'the harness starts programs and knows the contract; it imports none of what it starts or serves',
      severity: 'error',
      from: { path: '^stack/src/' },
      to: { path: '^(server|animatic|boxes|cli|console|e2e|proofs|bench|scripts)/' },
    },
    {
      name: 'stack-imports-the-contract-alone',
      severity: 'error',
      from: { path: '^stack/src/' },
      to: { path: '^sdk/', pathNot: '^sdk/src/generated/types\\.ts$' },
    },
    {
      name: 'scripts-are-run-not-imported',
      severity: 'error',
      from: { pathNot: '^scripts/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'boxes-and-settings-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^(boxes|settings)/' },
      to: { path: '^(animatic|boxes|settings)/', pathNot: '^$1/' },
    },
    {
      name: 'fixtures-are-for-tests',
      severity: 'error',
      from: { pathNot: tests },
      to: { path: '\\.(test|contract|fixture)\\.ts$' },
    },
    {
      name: 'black-box-stays-black',
      comment: 'e2e, proofs and benches talk HTTP; they never import what they judge',
      severity: 'error',
      from: { path: '^(e2e|proofs|bench)/' },
      to: { path: '^(server|animatic/src|boxes|settings)/' },
    },
    {
      name: 'sdk-stands-alone',
      comment: 'the sdk has no dependencies and runs in browsers: nothing of ours, no package, no Node module',
      severity: 'error',
      from: { path: '^sdk/src/', pathNot: tests },
      to: { pathNot: '^sdk/src/' },
    },
    {
      name: 'clients-know-the-sdk-alone',
      comment: 'a client speaks through the sdk, as anybody else could',
      severity: 'error',
      from: { path: '^(cli|integrations)/' },
      to: { path: '^(server|animatic|boxes|settings|stack|console|e2e|proofs|scripts)/' },
    },
    {
      name: 'no-orphan-packages',
      severity: 'error',
      from: {},
      // From inside another package of the workspace the tool finds ours and cannot say what they are.
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: '^(sdk|animatic|boxes|settings|stack)/src/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules/(?!@kinora)' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['kinora-source', 'import', 'node', 'default', 'types'],
    },
  },
};
