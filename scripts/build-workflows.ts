import { writeFile } from 'node:fs/promises';
import { bundleWorkflows } from '../server/src/wiring/bundle-workflows.ts';
import { workflowFolder } from '../server/src/wiring/workflow-bundle.ts';

// Writes the workflows as one script to the given path. A production build puts it beside the program, under the name
// workflow-bundle.js; a worker that runs from sources builds its own: see server/src/wiring/workflow-bundle.ts.
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: build-workflows.ts PATH');
await writeFile(path, await bundleWorkflows(workflowFolder));
