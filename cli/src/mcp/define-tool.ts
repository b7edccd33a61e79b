import type { Kinora, Task } from '@kinora/sdk';
import type { CallToolResult, McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { progressReporter } from './progress-reporter.ts';
import { toolError } from './tool-error.ts';

/** The folders of this computer that the user lets assistants use. */
export interface SharedFolders {
  /** Pictures are sent to the service only from these. */
  pictureFolders: readonly string[];
  /** Videos are saved only in this one; undefined if there is none. */
  saveFolder: string | undefined;
}

/** One call of a tool. */
export interface Call extends SharedFolders {
  /** Aborted when the host cancels the call or closes the connection. */
  signal: AbortSignal;
  /** Reports the progress of a task to the host, if the host asked for progress. */
  report: (task: Task) => void;
}

/** The definition of a tool. */
interface Definition<Input> {
  name: string;
  title: string;
  /** Tells the model what the tool does, when to use it, and what it returns. */
  description: string;
  annotations: ToolAnnotations;
  inputSchema: StandardSchemaWithJSON<Input, Input>;
  outputSchema: StandardSchemaWithJSON;
  run: (kinora: Kinora, input: Input, call: Call) => Promise<CallToolResult>;
}

/** A tool that can be registered with a server. */
export interface Tool {
  name: string;
  register: (server: McpServer, kinora: () => Promise<Kinora>, folders: SharedFolders) => void;
}

/** Creates a tool from its definition. An error becomes a result that the model can read. */
export function defineTool<Input>({ name, run, ...config }: Definition<Input>): Tool {
  return {
    name,
    register(server, kinora, folders) {
      server.registerTool(name, config, async (input: Input, { mcpReq }) => {
        try {
          const report = progressReporter(mcpReq._meta?.progressToken, mcpReq.notify);
          return await run(await kinora(), input, { signal: mcpReq.signal, report, ...folders });
        } catch (error) {
          return toolError(error);
        }
      });
    },
  };
}
