// A program of its own, run in a box. Its optional argument is the folder with the compile cache of its sources: they
// are a hundred files, and compiling them takes longer than drawing ten frames.
import { enableCompileCache } from 'node:module';

const [, , compiledFolder] = process.argv;
if (compiledFolder) enableCompileCache(compiledFolder);
await import('./draw-video.ts');
