// A program of its own, run in a box. Its argument is the folder of its compiled sources, if there is one: they are a
// hundred files, and compiling them takes longer than drawing ten frames.
import { enableCompileCache } from 'node:module';

const [, , compiledFolder] = process.argv;
if (compiledFolder) enableCompileCache(compiledFolder);
await import('./draw-video.ts');
