#!/usr/bin/env node
import { setSourceMapsSupport } from 'node:module';
import { hideSecrets } from './config/hide-secrets.ts';

// This may start the program again, so nothing else is loaded before.
hideSecrets();
// In a build, the lines in stack traces are those of the sources too.
setSourceMapsSupport(true);
const { runProgram } = await import('./program.ts');
runProgram();
