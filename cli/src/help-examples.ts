/** Returns the examples of a command for the end of its help. */
export function helpExamples(...commands: string[]): string {
  return ['', 'Examples:', ...commands.map((command) => `  ${command}`)].join('\n');
}

/** Printed below the help of the program itself. */
export const environmentHelp = `
Environment:
  KINORA_BASE_URL        the address of the service
  KINORA_API_KEY         the key; both win over what \`kinora login\` stored
  KINORA_PROFILE         the stored profile to use; --profile wins over it
  KINORA_WEBHOOK_SECRET  the secret that \`kinora listen\` signs with
  XDG_CONFIG_HOME        the folder for settings (default: ~/.config)
  NO_COLOR               any value turns colours off
  TERM                   "dumb" prints plain lines instead of progress bars`;
