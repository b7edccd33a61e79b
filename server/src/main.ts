#!/usr/bin/env node
import { hideSecrets } from './hide-secrets.ts';

// This may start the program again, so nothing else is loaded before.
hideSecrets();
const { runProgram } = await import('./program.ts');
runProgram();
