/** What tasks, files, keys and webhooks belong to: a project, in live or in test mode. */
export interface ProjectMode {
  projectId: string;
  livemode: boolean;
}
