#!/usr/bin/env node
import { hideSecrets } from './hide-secrets.ts';

// This may start the program again, so nothing else is loaded before.
hideSecrets();
// The lines in stack traces are those of the sources, in a build too.
process.setSourceMapsEnabled(true);
const { runProgram } = await import('./program.ts');
runProgram();
