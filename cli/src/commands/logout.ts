import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { profileOf, removeCredentials } from '../credentials.ts';

/** Adds `kinora logout`, which forgets the key of a profile. */
export function addLogout(program: Command, context: () => Context): void {
  program
    .command('logout')
    .description('remove the stored address and key; the key itself keeps working')
    .action(async () => {
      const { print, profile: named } = context();
      const profile = profileOf(process.env, named);
      const baseUrl = await removeCredentials(process.env, profile);
      const text = baseUrl
        ? `Signed out of ${baseUrl}. The key still works until it is revoked.`
        : 'No key was stored.';
      print(text, { profile, base_url: baseUrl });
    });
}
