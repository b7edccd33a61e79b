/** Returns a sentence for each reason why browsers could not use the console safely at its URL. */
export function conflictsOfConsole(settings: { KINORA_CONSOLE_URL: string; KINORA_PUBLIC_URL: string }): string[] {
  const [own, api] = [new URL(settings.KINORA_CONSOLE_URL), new URL(settings.KINORA_PUBLIC_URL)];
  const problems = [];
  if (own.origin === api.origin)
    problems.push(
      'KINORA_CONSOLE_URL must have another host or port than KINORA_PUBLIC_URL: browsers keep origins apart.',
    );
  if (own.pathname !== '/' || own.search !== '')
    problems.push('KINORA_CONSOLE_URL must have no path: the console needs a whole origin.');
  return problems;
}
