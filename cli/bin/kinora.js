#!/usr/bin/env node
// Starts the command. An installed package contains the build and no sources. In a clone the sources win, because a
// build there may be older than they are; only a Node that cannot run TypeScript falls back to the build.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const source = new URL('../src/main.ts', import.meta.url);
const build = new URL('../dist/main.js', import.meta.url);
const canRunSource = Boolean(process.features.typescript) && nodeModule.registerHooks !== undefined;

if (existsSync(source) && canRunSource) {
  // The condition makes our packages import each other's sources too, as `node --conditions=kinora-source` would.
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, 'kinora-source'] }),
  });
  await import(source.href);
} else if (existsSync(build)) {
  await import(build.href);
} else {
  process.stderr.write(
    `kinora is not built, and Node ${process.version} cannot run its sources. ` +
      'Use Node 24 or later, or build it with `npm run build -w kinora` in the clone.\n',
  );
  process.exitCode = 1;
}
