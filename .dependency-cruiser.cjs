// The import table of ARCHITECTURE.md as rules. `checks/check-imports.ts` runs them and fails if they saw too few
// modules. It also finds import cycles between the children of a folder, with `checks/folder-cycles.ts`.
const within = (child) => (child.endsWith('.ts') ? `^server/src/${child}$` : `^server/src/${child}/`);
const plain = ['domain', 'telemetry', 'errors.ts'];
const tests = '\\.(test|contract|fixture)\\.ts$';
const ours = '^(server/src|sdk|cli|console|deploy|e2e|proofs|simulation|bench|scripts|checks)/';

/** Forbids imports of our code that is in neither list. From the folders in `asTypes` only types may be imported. */
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
      comment: 'domain is pure: it imports no other folder of the server, no package, and does no I/O',
      severity: 'error',
      from: { path: within('domain'), pathNot: tests },
      to: { path: ['^server/src/(?!domain/)', 'node_modules'], pathNot: [] },
    },
    {
      name: 'domain-no-io',
      severity: 'error',
      from: { path: within('domain'), pathNot: tests },
      // Only clock.ts waits: the lint rule no-real-time refuses timers elsewhere.
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|timers.promises)$' },
    },
    ...only(
      'workflows',
      ['domain'],
      ['activities'],
      'workflows are deterministic: of activities they import only types',
    ),
    {
      name: 'workflows-no-builtins',
      severity: 'error',
      from: { path: within('workflows'), pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    ...['storage', 'media', 'outbound', 'webhooks', 'db'].flatMap((port) =>
      only(port, plain, [], 'a port gets its dependencies as arguments; ports never import each other'),
    ),
    ...only('live', plain, ['db'], 'live gets the tables that it reads as arguments'),
    ...only('engines', plain, ['outbound'], 'an engine gets the guarded fetcher as an argument'),
    ...only('telemetry', ['domain', 'errors.ts'], [], 'telemetry imports only domain and errors.ts'),
    ...only(
      'operations',
      plain,
      ['db', 'engines', 'media', 'outbound', 'storage', 'webhooks'],
      'operations get their dependencies as arguments',
    ),
    ...only(
      'activities',
      [...plain, 'operations'],
      ['db', 'engines', 'live', 'media', 'outbound', 'storage', 'webhooks'],
      'activities get their dependencies as arguments',
    ),
    ...only('relay', [...plain, 'operations'], ['db', 'storage'], 'the relay gets its dependencies as arguments'),
    ...only('http', plain, [], 'http holds what the API, the console and the private port share'),
    ...only('health', [...plain, 'db'], [], 'health gets the parts that it asks as arguments'),
    ...only(
      'api',
      [...plain, 'http', 'operations'],
      ['db', 'live', 'storage'],
      'the API gets its dependencies as arguments',
    ),
    ...only('console', [...plain, 'http', 'operations'], ['db'], 'the console gets its dependencies as arguments'),
    {
      name: 'child-processes-only-in-boxes',
      severity: 'error',
      from: { path: '^(server|animatic)/src/', pathNot: tests },
      to: { path: '^(node:)?child_process$' },
    },
    {
      name: 'small-packages-are-independent',
      comment: 'boxes and settings import none of our packages; the animatic imports only those two',
      severity: 'error',
      from: { path: '^(boxes|settings|animatic)/src/' },
      to: { path: '^(server|stack|sdk|cli|console|e2e|proofs|bench|scripts)/' },
    },
    {
      name: 'server-imports-one-file-of-the-animatic',
      comment: 'the server imports the prompt reader, for warnings; the rest of the animatic is a separate program',
      severity: 'error',
      from: { path: '^server/src/', pathNot: tests },
      to: { path: '^(animatic|stack)/', pathNot: '^animatic/src/storyboard/prompt-warning\\.ts$' },
    },
    {
      name: 'the-prompt-reader-draws-nothing',
      comment: 'nothing that the server loads with the prompt reader may be drawing code, or the canvas',
      severity: 'error',
      from: { path: '^animatic/src/storyboard/prompt-warning\\.ts$' },
      to: { path: ['^animatic/src/(?!storyboard/)', 'node_modules'], reachable: true },
    },
    {
      name: 'only-tests-share-the-cases-of-proofs',
      comment: 'tests of the server run the case tables of three proofs in process; nothing else knows the proofs',
      severity: 'error',
      from: { path: '^server/src/', pathNot: tests },
      to: { path: '^proofs/' },
    },
    {
      name: 'stack-imports-no-program',
      comment: 'the harness starts our programs as processes and uses their API; it never imports their code',
      severity: 'error',
      from: { path: '^stack/src/' },
      to: { path: '^(server|animatic|boxes|cli|console|e2e|proofs|bench|scripts)/' },
    },
    {
      name: 'stack-imports-only-the-contract',
      severity: 'error',
      from: { path: '^stack/src/' },
      to: { path: '^sdk/', pathNot: '^sdk/src/generated/types\\.ts$' },
    },
    {
      name: 'scripts-are-run-not-imported',
      severity: 'error',
      from: { pathNot: '^(scripts|checks)/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'boxes-and-settings-import-no-other-package',
      severity: 'error',
      from: { path: '^(boxes|settings)/' },
      to: { path: '^(animatic|boxes|settings)/', pathNot: '^$1/' },
    },
    {
      name: 'fixtures-are-for-tests',
      severity: 'error',
      comment: 'the simulation is a test as a whole',
      from: { pathNot: [tests, '^simulation/'] },
      to: { path: '\\.(test|contract|fixture)\\.ts$' },
    },
    {
      name: 'black-box-stays-black',
      comment: 'e2e, proofs, benches and the tests of deploy talk HTTP; they never import the code that they test',
      severity: 'error',
      from: { path: '^(e2e|proofs|bench|deploy)/' },
      to: { path: '^(server|animatic/src|boxes|settings)/', pathNot: '^boxes/src/boxed-children\\.ts$' },
    },
    {
      name: 'sdk-is-independent',
      comment:
        'the SDK has no dependencies and runs in browsers: it imports no other folder, no package and no Node module',
      severity: 'error',
      from: { path: '^sdk/src/', pathNot: tests },
      to: { pathNot: '^sdk/src/' },
    },
    {
      name: 'clients-import-only-the-sdk',
      comment: 'our clients use the service only through the SDK, as any other program could',
      severity: 'error',
      from: { path: '^(cli|console|integrations)/' },
      to: { path: '^(server|animatic|boxes|settings|stack|console|e2e|proofs|scripts)/', pathNot: '^$1/' },
    },
    {
      name: 'no-orphan-packages',
      severity: 'error',
      from: {},
      // The tool resolves imports between packages of the workspace, but cannot classify them.
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
