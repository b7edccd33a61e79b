/** The owner of tasks, files, keys and webhooks: a project in live or in test mode. */
export interface ProjectMode {
  projectId: string;
  livemode: boolean;
}
