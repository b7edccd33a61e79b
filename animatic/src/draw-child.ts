// A separate program that runs in a box (a child process with limits and, if possible, no network). Its optional
// argument is the folder with the compile cache of its sources: they are a hundred files, and compiling them takes
// longer than drawing ten frames.
import { enableCompileCache } from 'node:module';

const [, , compiledFolder] = process.argv;
if (compiledFolder) enableCompileCache(compiledFolder);
await import('./draw-video.ts');
