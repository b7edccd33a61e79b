import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker/lib/workflow/bundler.js';

const ignore = (): void => undefined;
const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Returns the code of all workflows in the folder as one script, with its source map. */
export async function bundleWorkflows(workflowFolder: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflowFolder, 'all-workflows.ts'),
    failureConverterPath: join(workflowFolder, 'failure-converter.ts'),
    logger,
    // Stack traces need positions only; the sources would double what each workflow thread keeps in memory.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  });
  return code;
}
